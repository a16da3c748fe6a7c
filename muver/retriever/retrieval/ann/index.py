"""Approximate indices of a knowledge base's views: built by faiss, opened, searched.

A folder holds ``index.faiss``, ``centre.npy`` and ``manifest.json``. The manifest is written last;
an index without one was not finished. faiss is imported inside functions only.

An index stores views less their mean and finds the greatest inner products with a mention.
``q.(x - mean)`` differs from ``q.x`` by a number that all views share, so the order of the views
stays. Without this, the large common part of an encoder's vectors uses up the range of every
quantiser and hides what separates the cells.

Distances of vectors augmented to one norm (Bachrach et al., RecSys 2014) would order views as
products do; tried, they find less, except with few clusters and very different norms.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.checksums import digest_of
from muver.io.errors import InputError, did_you_mean
from muver.io.files import atomic_path, read_json, sha256_of, write_manifest
from muver.io.matrices import load_matrix, save_matrix
from muver.io.progress import Progress, logger
from muver.io.typed import Count, Natural
from muver.retriever.retrieval.retrieval_settings import Index
from muver.retriever.vectors.shards import Shards

FILES = INDEX, CENTRE = "index.faiss", "centre.npy"
MANIFEST = "manifest.json"
IVF, HNSW = "nprobe", "efSearch"
MOST_ON_GPU = 2048  # faiss's limit for vectors returned and for lists searched
CELLS_TRAINED = 64  # views per list; faiss's k-means uses up to 256
AGAIN = "Build the index again with `muver stage ann-build`."
# By short name; {lists} is the setting. Other factory strings of faiss are passed on unchanged.
FACTORIES = {
    "ivf_sq": "IVF{lists},SQfp16",
    "ivf_sq8": "IVF{lists},SQ8",
    "opq_ivf_pq": "OPQ64_256,IVF{lists},PQ64",
    "hnsw": "HNSW32",
    "hnsw_sq": "HNSW32,SQfp16",
}


class Build(Index, kw_only=True):
    """An index and how it is built."""

    seed: Natural
    threads: Count
    memory_mb: Count = 256
    gpu: bool = True  # if faiss has one


def build(vectors: str | Path, out: str | Path, settings: Build) -> None:
    """Build a faiss index of the views of a knowledge base, from shards on disk.

    It lies in the folder ``out``, in place of one that is there.

    Memory holds the index and a block of views.
    """
    import faiss

    shards, folder = Shards(vectors), Path(out)
    faiss.omp_set_num_threads(settings.threads)
    string = factory_string(settings, shards.views)
    index = _empty(string, shards.dimension, settings)
    lists = getattr(_inner(index), "nlist", 0)
    knob = IVF if lists else HNSW if hasattr(_inner(index), "hnsw") else None
    trained_on = 0 if index.is_trained else _training_size(lists, shards.views, settings)
    centre = _mean(shards, settings.memory_mb)
    index = _to_gpu(index, settings.gpu)
    if trained_on:
        logger.info("%s: training on %d of %d views", string, trained_on, shards.views)
        with _refusals(
            f"--settings: the index cannot be trained on {trained_on} views. Raise training_views, "
            "or choose a factory with fewer lists or smaller codes; few views are searched exactly."
        ):
            # The sample gets no name, so that it is freed before views are added.
            index.train(shards.gather(shards.sample(trained_on, settings.seed)) - centre)
    progress = Progress("adding", shards.views, "views")
    for block in shards.blocks(settings.memory_mb):
        index.add(block.vectors - centre)
        progress.advance(len(block.vectors))
    progress.finish()
    (folder / MANIFEST).unlink(missing_ok=True)
    with (
        atomic_path(folder / INDEX) as temporary,
        _refusals(
            f"{folder / INDEX}: cannot be written. Free some room and run the command again."
        ),
    ):
        index = faiss.index_gpu_to_cpu(index) if _on_gpu(index) else index
        faiss.write_index(index, str(temporary))
    save_matrix(folder / CENTRE, centre)
    write_manifest(
        folder / MANIFEST, "ann-build", settings.as_dict(), {"model": shards.model},
        factory=string, knob=knob, lists=lists, dimension=shards.dimension, views=shards.views,
        entities=shards.entities, trained_on=trained_on, agreement=None,
        sha256={name: sha256_of(folder / name) for name in FILES},
    )  # fmt: skip


def factory_string(settings: Index, views: int) -> str:
    """The faiss string of the setting ``factory``, with its number of lists filled in.

    By default the number of lists is four times the square root of the number of views, rounded
    down to a power of two, and small enough to leave 39 views per list, below which faiss warns.
    """
    lists = settings.lists
    if lists is None:
        most = max(min(4 * int(views**0.5), views // 39), 1)
        lists = 1 << (most.bit_length() - 1)
    name = settings.factory
    if name == name.lower() and name not in FACTORIES:  # faiss's strings have capitals
        raise InputError(
            f"--settings: factory is {name!r}, expected one of {', '.join(FACTORIES)}, or a "
            f"faiss factory string.{did_you_mean(name, FACTORIES)}"
        )
    return FACTORIES.get(name, name).replace("{lists}", str(lists))


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """The manifest of an index."""
    path = Path(folder) / MANIFEST
    manifest = read_json(path)
    if manifest.get("stage") != "ann-build":
        raise InputError(f"{path}: not the manifest of an index. {AGAIN}")
    return manifest


class AnnIndex:
    """An index and the shards it was built from.

    :meth:`turn` sets its ``knob``, "nprobe", "efSearch" or None; a search may fetch ``most``.
    """

    def __init__(self, folder: str | Path, shards: Shards, gpu: bool = True, threads: int = 0):
        """Open an index, on a GPU if ``gpu`` is true and there is one."""
        import faiss

        self.folder, self.shards = Path(folder), shards
        self.manifest = read_manifest(folder)
        self.knob: str | None = self.manifest["knob"]
        if threads:
            faiss.omp_set_num_threads(threads)
        for name in FILES:  # before faiss reads anything
            path, written = self.folder / name, self.manifest.get("sha256", {})
            if not path.is_file() or digest_of(path) != written.get(name):
                raise InputError(f"{path}: missing or damaged. {AGAIN}")
        index = faiss.read_index(str(self.folder / INDEX))
        self._centre = load_matrix(self.folder / CENTRE, AGAIN)
        self._index = _to_gpu(index, gpu)
        self.most = min(shards.views, MOST_ON_GPU if _on_gpu(self._index) else 2**31 - 1)

    def turn(self, effort: int) -> None:
        """Set nprobe, to no more than the number of lists, or efSearch, if the index has either."""
        import faiss

        on_gpu = _on_gpu(self._index)
        if self.knob == IVF:
            lists = self.manifest["lists"]
            effort = min(effort, lists, MOST_ON_GPU if on_gpu else lists)
        if self.knob is not None:
            space = faiss.GpuParameterSpace() if on_gpu else faiss.ParameterSpace()
            space.set_index_parameter(self._index, self.knob, effort)

    def search(self, mentions: np.ndarray, fetch: int) -> tuple[np.ndarray, np.ndarray]:
        """The best views of each mention, as far as the index finds them.

        Products with the views as the index stores them, (n, fetch) float32, and the views'
        numbers, (n, fetch) int64; -1 where no more were found.
        """
        mentions = np.ascontiguousarray(mentions, dtype=np.float32)
        centred, views = self._index.search(mentions, fetch)
        products = centred.astype(np.float64) + (mentions @ self._centre)[:, None]
        return products.astype(np.float32), views


def _empty(string: str, dimension: int, settings: Build) -> Any:
    import faiss

    with _refusals(
        f"--settings: factory {string!r} is no index type of faiss for {dimension} dimensions. "
        "Give one of its index_factory strings, such as 'IVF1024,SQfp16', or one of our names."
    ):
        index = faiss.index_factory(dimension, string, faiss.METRIC_INNER_PRODUCT)
    inner = _inner(index)
    if isinstance(inner, faiss.IndexIVF):
        inner.cp.seed = settings.seed
    if hasattr(inner, "do_polysemous_training"):
        # This would take most of the time, and we do not search codes by Hamming distance.
        inner.do_polysemous_training = False
    if hasattr(inner, "hnsw"):
        inner.hnsw.efConstruction = settings.ef_construction
    return index


def _training_size(lists: int, views: int, settings: Build) -> int:
    """How many views to train on, at least one per list."""
    size = min(views, settings.training_views or max(CELLS_TRAINED * lists, 2**15))
    if size < lists:
        raise InputError(
            f"--settings: {lists} lists cannot be trained on {size} of {views} views. Raise "
            f"training_views, or set lists to at most {max(size // 39, 1)}."
        )
    return size


def _mean(shards: Shards, memory_mb: int) -> np.ndarray:
    """(d,) float32 mean of all views."""
    total = np.zeros(shards.dimension)
    for block in shards.blocks(memory_mb):
        total += block.vectors.sum(axis=0, dtype=np.float64)
    return (total / max(shards.views, 1)).astype(np.float32)


def _to_gpu(index: Any, wanted: bool) -> Any:
    """The index on the first GPU if faiss has one and supports the type there; else unchanged."""
    import faiss

    if not wanted or getattr(faiss, "get_num_gpus", int)() == 0:
        return index
    try:
        # The index keeps these resources alive.
        return faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index)
    except RuntimeError as error:
        logger.warning("the index stays off the GPU (%s)", error)
        return index


def _on_gpu(index: Any) -> bool:
    return type(_inner(index)).__name__.startswith("Gpu")


def _inner(index: Any) -> Any:
    """The index behind a rotation, if it has one."""
    import faiss

    index = faiss.downcast_index(index)
    rotated = isinstance(index, faiss.IndexPreTransform)
    return faiss.downcast_index(index.index) if rotated else index


@contextmanager
def _refusals(message: str) -> Iterator[None]:
    """Say what faiss refused, and end with its reason: the last line of its message."""
    try:
        yield
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise InputError(f"{message} faiss says: {reason}") from None
