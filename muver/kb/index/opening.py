"""An index of any kind, opened."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muver.kb.index.open_index import OpenIndex

DEPTH = 64  # candidates that a second stage ranks again


def opened_index(folder: Path, rerank: Path | None = None, depth: int = DEPTH) -> "OpenIndex":
    """An index whose entities are in its folder.

    The cross-encoder in the folder ``rerank`` ranks its first ``depth`` candidates again.
    """
    from muver.kb.index.index import Index

    index = Index.open(folder)
    if rerank is None:
        return index
    from muver.kb.index.reranked import Reranker
    from muver.retriever.encoders.cross import CrossEncoder
    from muver.retriever.encoders.device import load_model

    return index.reranked(Reranker(load_model(rerank, CrossEncoder), depth))
