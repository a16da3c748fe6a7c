"""Shards that are made once."""

from tests.vectors.made import made

__all__ = ["made"]  # a fixture
