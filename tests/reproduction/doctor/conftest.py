"""A small dataset in ZESHEL's format."""

from tests.retriever.corpus.conftest import dataset  # noqa: F401
