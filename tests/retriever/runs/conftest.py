"""The small corpus and run of the evaluation's tests."""

from tests.retriever.evaluation.conftest import corpus, tiny

__all__ = ["corpus", "tiny"]  # fixtures
