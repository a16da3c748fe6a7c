"""Indexes of one's own knowledge base: made without training, changed entity by entity."""

from typing import Any

__all__ = ["Change", "Entity", "Index"]


def __getattr__(name: str) -> Any:
    """Import the library on first use: most commands do without it."""
    if name in __all__:
        from muver.kb.index import index

        return getattr(index, name)
    raise AttributeError(f"module 'muver.kb.index' has no attribute {name!r}")
