"""The small corpus of the evaluation's tests."""

from tests.retriever.evaluation.conftest import corpus

__all__ = ["corpus"]  # a fixture
