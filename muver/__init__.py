"""MuVER: multi-view entity retrieval, reproduced as a workflow and usable as a library."""

from typing import Any

from muver.version import __version__ as __version__

__all__ = ["Candidate", "Mention", "Retriever"]


def __getattr__(name: str) -> Any:
    """Import the library on first use: it brings torch, which most commands do without."""
    if name in __all__:
        from muver.retrieval import retriever

        return getattr(retriever, name)
    raise AttributeError(f"module 'muver' has no attribute {name!r}")
