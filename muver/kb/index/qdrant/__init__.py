"""The entities of an index in a collection of Qdrant, which many machines may ask."""

from importlib import import_module
from typing import Any

MODULES = {"QdrantIndex": "index", "push": "pushing"}
__all__ = ["QdrantIndex", "push"]


def __getattr__(name: str) -> Any:
    """Import on first use: only who asks for Qdrant needs its client."""
    if name not in MODULES:
        raise AttributeError(f"module 'muver.kb.index.qdrant' has no attribute {name!r}")
    return getattr(import_module(f"muver.kb.index.qdrant.{MODULES[name]}"), name)
