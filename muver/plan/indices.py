"""Bytes of an index on disk, and of memory while it is built and searched, by type.

The sizes of a code, the numbers of lists, links and codebooks are asked of an empty index that
faiss makes of the factory string, so they hold for every string of the types below.
"""

from dataclasses import dataclass
from typing import Any

from muver.io.errors import InputError
from muver.retrieval.ann import factory
from muver.retrieval.ann.settings import BUILD, factory_string

# faiss's classes whose sizes are known here.
CODES = ("IndexFlat", "IndexFlatIP", "IndexFlatL2", "IndexScalarQuantizer", "IndexPQ")
IVF = ("IndexIVFFlat", "IndexIVFScalarQuantizer", "IndexIVFPQ")
GRAPHS = ("IndexHNSWFlat", "IndexHNSWSQ", "IndexHNSWPQ")


@dataclass(frozen=True)
class IndexPlan:
    """One index.

    Attributes
    ----------
    factory
        faiss's string, with the number of lists.
    disk
        Bytes of ``index.faiss`` but for some kilobytes of headers.
    build
        Bytes of memory at most while it is built.
    search
        Bytes of memory while it is searched, without the mentions.
    """

    factory: str
    disk: int
    build: int
    search: int


def plan_index(kind: str, views: int, dimension: int, settings: dict[str, Any]) -> IndexPlan:
    """The sizes of an index of so many views.

    * On disk: :func:`index_bytes`.
    * Building, the more of: training, which holds its sample as it is read and centred,
      ``training views * d * 4`` each, and twice what a rotation makes of it; and adding, twice the
      index (arrays that grow are copied) and four blocks of ``memory_mb`` (as stored, in float32,
      transformed, and what faiss makes of it).
    * Searching: the index, a byte a view and thread (graphs), and ``memory_mb``.

    Parameters
    ----------
    kind
        One of :data:`muver.retrieval.ann.settings.FACTORIES`, or a faiss string.
    dimension
        Of the vectors.
    settings
        ``lists``, ``training_views``, ``build_memory_mb``, ``search_memory_mb``, ``threads``.

    Raises
    ------
    InputError
        For a string that faiss does not understand, or a type whose size is not known here.
    """
    string = factory_string({"factory": kind, "lists": settings["lists"]}, views)
    index = factory.make(string, dimension, BUILD["product"], BUILD["ef_construction"], 0)
    disk = index_bytes(index, views, string)
    sample = factory.training_size(index, views, settings["training_views"])
    training = sample * 4 * 2 * (dimension + _rotated(index))
    adding = 2 * disk + 4 * settings["build_memory_mb"] * 2**20
    search = disk + settings["search_memory_mb"] * 2**20
    if factory.knob(index) == factory.HNSW:
        search += views * settings["threads"]
    return IndexPlan(string, disk, max(training, adding), search)


def index_bytes(index: Any, views: int, string: str) -> int:
    """Bytes of an index once it holds so many vectors of ``d`` values, ``c`` bytes a code.

    * Flat, SQ, PQ: ``views * c``.
    * IVF: ``views * (c + 8)`` for codes and numbers, ``8 * lists`` for the lists' sizes, and the
      centroids as an index of their own, ``4 d * lists`` if it is flat.
    * HNSW with M links: ``views * c``, and for each view ``4 * 2M`` for the links of the lowest
      level, ``4 * M / (M - 1)`` for those of the upper ones (a share ``M^-l`` of the views has a
      level ``l``), and 12 for its place among them.
    * Codebooks: ``256 * 4 d`` of PQ (8 bits), ``2 * 4 d`` of SQ8; a rotation ``4 * d_in * d``.
    """
    import faiss

    index = faiss.downcast_index(index)
    kind = type(index).__name__
    if kind == "IndexPreTransform":
        rotations = (
            faiss.downcast_VectorTransform(index.chain.at(place))
            for place in range(index.chain.size())
        )
        matrices = sum(4 * rotation.d_in * rotation.d_out for rotation in rotations)
        return matrices + index_bytes(index.index, views, string)
    if kind in IVF:
        lists = index_bytes(index.quantizer, index.nlist, string) + 8 * index.nlist
        return views * (index.code_size + 8) + lists + _codebooks(index)
    if kind in GRAPHS:
        links = index.hnsw.nb_neighbors(1)
        graph = 4 * index.hnsw.nb_neighbors(0) + 4 * links / (links - 1) + 12
        return int(views * graph) + index_bytes(index.storage, views, string)
    if kind in CODES:
        return views * index.code_size + _codebooks(index)
    raise InputError(
        f"--settings: the size of {string!r} is not known to the plan. It knows Flat, SQ and PQ, "
        "alone, behind IVF or a rotation, and HNSW over them."
    )


def _rotated(index: Any) -> int:
    """Dimensions that are left after a rotation; 0 without one."""
    import faiss

    index = faiss.downcast_index(index)
    return index.index.d if isinstance(index, faiss.IndexPreTransform) else 0


def _codebooks(index: Any) -> int:
    """Bytes of what a quantiser of codes learns."""
    if hasattr(index, "pq"):
        return int(4 * index.pq.ksub * index.pq.d)
    if hasattr(index, "sq"):
        ranges = index.sq.qtype in (index.sq.QT_8bit, index.sq.QT_4bit, index.sq.QT_6bit)
        return 2 * 4 * index.d * ranges
    return 0
