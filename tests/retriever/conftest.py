"""Shards that are made once."""

from tests.retriever.vectors.made import made

__all__ = ["made"]  # a fixture
