"""Bytes of a faiss index: on disk, and in memory while it is built and searched.

Sizes of codes, lists, links and codebooks are read from an empty index that faiss makes of the
factory string, so the formulas hold for every string of the types below.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retrieval.ann import factory
from muver.retrieval.ann.settings import Build, factory_string

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


def index_sizes(
    views: int, dimension: int, build: Mapping[str, Any], search_mb: int, threads: int
) -> IndexSizes:
    """Sizes of an index of so many views.

    * Building takes the larger of two: training holds its sample as read and centred, ``training
      views * d * 4`` each, and twice what a rotation makes of it; adding holds twice the index
      (arrays that grow are copied) and four blocks of ``memory_mb`` (stored, float32, transformed,
      faiss's own).
    * Searching holds the index, ``search_mb``, and for graphs a byte a view and thread.

    Parameters
    ----------
    build
        Settings of ``muver ann-build``, and what the estimator has besides.

    Raises
    ------
    InputError
        For a string that faiss does not understand, or a type whose size is not known here.
    """
    own = {key: value for key, value in build.items() if key in Build.__struct_fields__}
    settings = read(Build, {"seed": 0, "threads": 1, **own})
    string = factory_string(settings, views)
    index = factory.make(string, dimension, settings.product, settings.ef_construction, 0)
    disk = _bytes(index, views, string)
    sample = factory.training_size(index, views, settings.training_views)
    training = sample * 4 * 2 * (dimension + _rotated(index))
    adding = 2 * disk + 4 * settings.memory_mb * 2**20
    search = disk + search_mb * 2**20
    if factory.knob(index) == factory.HNSW:
        search += views * threads
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
    import faiss

    index = faiss.downcast_index(index)
    kind = type(index).__name__
    if kind == "IndexPreTransform":
        rotations = (
            faiss.downcast_VectorTransform(index.chain.at(n)) for n in range(index.chain.size())
        )
        matrices = sum(4 * rotation.d_in * rotation.d_out for rotation in rotations)
        return matrices + _bytes(index.index, views, string)
    if kind in IVF:
        lists = _bytes(index.quantizer, index.nlist, string) + 8 * index.nlist
        return views * (index.code_size + 8) + lists + _codebooks(index)
    if kind in GRAPHS:
        links = index.hnsw.nb_neighbors(1)
        graph = 4 * index.hnsw.nb_neighbors(0) + 4 * links / (links - 1) + 12
        return int(views * graph) + _bytes(index.storage, views, string)
    if kind in CODES:
        return views * index.code_size + _codebooks(index)
    raise InputError(
        f"--settings: the size of {string!r} cannot be estimated. Known are Flat, SQ and PQ, "
        "alone, behind IVF or a rotation, and HNSW over them."
    )


def _rotated(index: Any) -> int:
    """Dimensions that a rotation leaves; 0 without one."""
    import faiss

    index = faiss.downcast_index(index)
    return index.index.d if isinstance(index, faiss.IndexPreTransform) else 0


def _codebooks(index: Any) -> int:
    """Bytes of what a quantiser learns."""
    if hasattr(index, "pq"):
        return int(4 * index.pq.ksub * index.pq.d)
    if hasattr(index, "sq"):
        ranges = index.sq.qtype in (index.sq.QT_8bit, index.sq.QT_4bit, index.sq.QT_6bit)
        return 2 * 4 * index.d * ranges
    return 0
