"""MuVER: multi-view entity retrieval, reproduced as a workflow and usable as a library."""

from importlib import import_module
from typing import Any

__version__ = "0.1.1"  # which stands in whatever is written
_HOMES = {
    "Candidate": "retriever.answers",
    "Mention": "retriever.answers",
    "Dataset": "retriever.training.data",
    "encode": "retriever.encoders.encode",
    "train": "retriever.training.run",
    "Entity": "kb.index.entity",
    "Index": "kb.index.index",
}
__all__ = ["Candidate", "Dataset", "Entity", "Index", "Mention", "encode", "train"]


def __getattr__(name: str) -> Any:
    """Import what is asked for on first use: retrieving brings torch, which much does without."""
    if name in _HOMES:
        return getattr(import_module(f"muver.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'muver' has no attribute {name!r}")
