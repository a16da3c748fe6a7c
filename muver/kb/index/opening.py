"""An index of any kind, opened: of one's own entities, of a row, with a second stage."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muver.kb.index.answer import AnyIndex
    from muver.kb.index.open_index import OpenIndex

DEPTH = 64  # candidates that a second stage ranks again


def opened_index(
    path: Path, qdrant: str | None = None, rerank: Path | None = None, depth: int = DEPTH
) -> "AnyIndex":
    """An index of one's own entities (a folder), or that of a row (its file).

    The cross-encoder in the folder ``rerank`` ranks its first ``depth`` candidates again.
    """
    if path.is_dir() or qdrant is not None:
        index = own_index(path, qdrant)
    else:
        from muver.kb.index.row import RowIndex
        from muver.retriever.retrieval.retriever import Retriever

        index = RowIndex(Retriever.from_index(path))
    if rerank is None:
        return index
    from muver.kb.index.loading import load_model
    from muver.kb.index.reranked import Reranked
    from muver.retriever.encoders.cross import CrossEncoder

    return Reranked(index, load_model(rerank, CrossEncoder), depth)


def own_index(folder: Path, qdrant: str | None = None) -> "OpenIndex":
    """An index of one's own entities, in its files or in the collection at ``qdrant``."""
    if qdrant is not None:
        from muver.kb.index.qdrant import QdrantIndex

        return QdrantIndex.open(folder, qdrant)
    from muver.kb.index.index import Index

    return Index.open(folder)
