"""Bytes of a faiss index: on disk, and in memory while it is built and searched.

Sizes of codes, lists, links and codebooks are read from an empty index that faiss makes of the
factory string, so the formulas hold for every string of the types below.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.retrieval.ann import factory
from muver.retriever.retrieval.ann.settings import Build, factory_string

CODES = ("IndexFlat", "IndexFlatIP", "IndexFlatL2", "IndexScalarQuantizer", "IndexPQ")
IVF = ("IndexIVFFlat", "IndexIVFScalarQuantizer", "IndexIVFPQ")
GRAPHS = ("IndexHNSWFlat", "IndexHNSWSQ", "IndexHNSWPQ")


@dataclass(frozen=True)
class IndexSizes:
    """Bytes of one index."""

    factory: str  # faiss's string, with the number of lists
    disk: int  # of index.faiss, without some kilobytes of headers
    build: int  # of memory at most
    search: int  # of memory at most, without the mentions


def index_sizes(views: int, dimension: int, settings: Mapping[str, Any]) -> IndexSizes:
    """Sizes of an index of so many views.

    * Building takes the larger of two: training holds its sample as read and centred, ``training
      views * d * 4`` each, and twice what a rotation makes of it; adding holds twice the index
      (arrays that grow are copied) and four blocks of ``memory_mb`` (stored, float32, transformed,
      faiss's own).
    * Searching holds the index, ``search_memory_mb``, and for graphs a byte a view and thread.

    Parameters
    ----------
    settings
        Those of ``muver stage ann-build`` and ``search_memory_mb``; other keys are passed over.

    Raises
    ------
    InputError
        For a string that faiss does not understand, or a type whose size is not known here.
    """
    own = {key: value for key, value in settings.items() if key in Build.__struct_fields__}
    build = read(Build, {"seed": 0, **own})
    string = factory_string(build, views)
    index = factory.make(string, dimension, build.product, build.ef_construction, 0)
    disk = _bytes(index, views, string)
    rotations, inner = _unpacked(index)
    rotated = inner.d if rotations else 0
    sample = factory.training_size(index, views, build.training_views)
    training = sample * 4 * 2 * (dimension + rotated)
    adding = 2 * disk + 4 * build.memory_mb * 2**20
    search = disk + settings["search_memory_mb"] * 2**20
    if factory.knob(index) == factory.HNSW:
        search += views * build.threads
    return IndexSizes(string, disk, max(training, adding), search)


def _bytes(index: Any, views: int, string: str) -> int:
    """Bytes of an index that holds so many vectors of ``d`` values, ``c`` bytes a code.

    * Flat, SQ, PQ: ``views * c``.
    * IVF: ``views * (c + 8)`` for codes and numbers, ``8 * lists`` for the lists' sizes, and the
      centroids, which are an index of their own (flat: ``4 d * lists``).
    * HNSW with M links: ``views * c``, and for each view ``4 * 2M`` for the links of the lowest
      level, ``4 * M / (M - 1)`` for those above (a share ``M^-l`` of the views has a level ``l``),
      and 12 for its place among them.
    * Codebooks: ``256 * 4 d`` of PQ (8 bits), ``2 * 4 d`` of SQ8; a rotation ``4 * d_in * d``.
    """
    rotations, index = _unpacked(index)
    kind = type(index).__name__
    fixed = sum(4 * one.d_in * one.d_out for one in rotations) + _codebooks(index)
    if kind in CODES:
        return fixed + views * index.code_size
    if kind in IVF:
        lists = _bytes(index.quantizer, index.nlist, string) + 8 * index.nlist
        return fixed + views * (index.code_size + 8) + lists
    if kind in GRAPHS:
        links = index.hnsw.nb_neighbors(1)
        graph = 4 * index.hnsw.nb_neighbors(0) + 4 * links / (links - 1) + 12
        return fixed + int(views * graph) + _bytes(index.storage, views, string)
    raise InputError(
        f"--settings: the size of {string!r} cannot be estimated. Known are Flat, SQ and PQ, "
        "alone, behind IVF or a rotation, and HNSW over them."
    )


def _unpacked(index: Any) -> tuple[list[Any], Any]:
    """The rotations before an index, and the index by its own type."""
    import faiss

    index = faiss.downcast_index(index)
    if not isinstance(index, faiss.IndexPreTransform):
        return [], index
    chain = (index.chain.at(number) for number in range(index.chain.size()))
    rotations = [faiss.downcast_VectorTransform(one) for one in chain]
    return rotations, faiss.downcast_index(index.index)


def _codebooks(index: Any) -> int:
    """Bytes of what a quantiser learns."""
    if hasattr(index, "pq"):
        return int(4 * index.pq.ksub * index.pq.d)
    if hasattr(index, "sq"):
        ranges = index.sq.qtype in (index.sq.QT_8bit, index.sq.QT_4bit, index.sq.QT_6bit)
        return 2 * 4 * index.d * ranges
    return 0
