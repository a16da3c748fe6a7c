"""Make faiss indices from strings, train them and set their effort, on a GPU if there is one.

faiss is imported inside functions only.

The setting ``product`` says how the greatest inner products are found: "ip" is faiss's
METRIC_INNER_PRODUCT, "l2" its distance between augmented vectors
(:mod:`muver.retriever.retrieval.ann.transform`). "ip" is the default for every type. The numbers
below are recall of the exact 100 best entities, with found views scored again. Generated vectors
are clusters of entities of 5 views each, with log-normal norms (sigma 0.4) and a common part:

* IVF: faiss makes the cells by k-means on unit centroids and codes residuals whose products add up
  exactly, so the metric is right whatever the norms. Augmented vectors have one value that exceeds
  all others for nearly every view; the cells follow it and the lists become uneven. 50,000
  generated views of 256 dimensions in 300 clusters, 256 lists of SQfp16, 64 of them searched: 0.83
  (0.91 centred), augmented 0.78 (0.77) in several times the time.
* PQ behind IVF: the range of the augmented value uses up the codes. 10,000 generated views of 64
  dimensions, OPQ16_64,IVF16,PQ16, all lists searched: 0.96 (0.96 centred), augmented 0.79 (0.81).
* HNSW: trained MuVER's 19,864 views of realworlds-small's test worlds, of 384 dimensions and with
  norms from 7.5 to 9.5, efSearch 512: 0.95, augmented 0.94; validation's 22,871 views: 0.96 and
  0.94. 500,000 generated views of 1024 dimensions in 200 clusters, efSearch 4096: 0.89, augmented
  0.41. With few clusters and very different norms, a graph of products is dominated by the views
  with great norms, and "l2" is better: 20,000 generated views of 128 dimensions in 8 clusters,
  efSearch 4096: 0.83 (0.85 centred), augmented 0.998 (0.998).
"""

from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.progress import logger

IVF, HNSW = "nprobe", "efSearch"
MOST_ON_GPU = 2048  # faiss's limit for vectors returned and for lists searched
CELLS_TRAINED = 64  # views per list; faiss's k-means uses up to 256


def set_threads(threads: int) -> None:
    """Set the threads that faiss uses; 0 leaves its own number."""
    import faiss

    if threads:
        faiss.omp_set_num_threads(threads)


def make(factory: str, dimension: int, product: str, ef_construction: int, seed: int) -> Any:
    """An empty index for vectors of ``dimension``; ``product`` ("ip" or "l2") is the metric."""
    import faiss

    metric = faiss.METRIC_INNER_PRODUCT if product == "ip" else faiss.METRIC_L2
    try:
        index = faiss.index_factory(dimension, factory, metric)
    except RuntimeError as error:
        raise InputError(
            f"--settings: factory {factory!r} is no index type of faiss for {dimension} "
            f"dimensions ({_reason(error)}). Give one of its index_factory strings, for instance "
            "'IVF1024,SQfp16', or one of our names."
        ) from None
    inner = _inner(index)
    if isinstance(inner, faiss.IndexIVF):
        inner.cp.seed = seed
    if hasattr(inner, "do_polysemous_training"):
        # This would take most of the time, and we do not search codes by Hamming distance.
        inner.do_polysemous_training = False
    if hasattr(inner, "hnsw"):
        inner.hnsw.efConstruction = ef_construction
    return index


def training_size(index: Any, views: int, asked: int | None) -> int:
    """How many views to train on, at least one per list; 0 if the index needs no training."""
    if index.is_trained:
        return 0
    lists = lists_of(index)
    size = min(views, asked or max(CELLS_TRAINED * lists, 2**15))
    if size < lists:
        too_few_asked = asked is not None and asked <= views
        raise InputError(
            f"--settings: {lists} lists cannot be trained on {size} of {views} views. "
            + (
                f"Raise training_views to at least {39 * lists}."
                if too_few_asked
                else f"Set lists to at most {max(views // 39, 1)}, or leave it null."
            )
        )
    return size


def train(index: Any, sample: np.ndarray) -> None:
    try:
        index.train(sample)
    except RuntimeError as error:
        raise InputError(
            f"--settings: the index cannot be trained on {len(sample)} views "
            f"({_reason(error)}). Raise training_views, or choose a factory with fewer lists or "
            "smaller codes; few views are searched exactly."
        ) from None


def to_gpu(index: Any, wanted: bool) -> Any:
    """The index on the first GPU if faiss has one and supports the type there; else unchanged."""
    import faiss

    if not wanted or getattr(faiss, "get_num_gpus", int)() == 0:
        return index
    try:
        # The index keeps these resources alive.
        return faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index)
    except RuntimeError as error:
        logger.warning("the index stays off the GPU (%s)", _reason(error))
        return index


def from_gpu(index: Any) -> Any:
    """The index in main memory, so that it can be written."""
    import faiss

    return faiss.index_gpu_to_cpu(index) if _on_gpu(index) else index


def lists_of(index: Any) -> int:
    """Number of an IVF index's lists; 0 for other types."""
    return getattr(_inner(index), "nlist", 0)


def knob(index: Any) -> str | None:
    """The setting that trades time for agreement: "nprobe", "efSearch", or None (a flat index)."""
    if lists_of(index):
        return IVF
    return HNSW if hasattr(_inner(index), "hnsw") else None


def turn(index: Any, name: str, effort: int, lists: int) -> None:
    """Set the knob of this name to ``effort``, but not above the number of lists."""
    import faiss

    on_gpu = _on_gpu(index)
    if name == IVF:
        effort = min(effort, lists, MOST_ON_GPU if on_gpu else lists)
    space = faiss.GpuParameterSpace() if on_gpu else faiss.ParameterSpace()
    space.set_index_parameter(index, name, effort)


def most_fetched(index: Any) -> int:
    """How many vectors a search may return."""
    return MOST_ON_GPU if _on_gpu(index) else 2**31 - 1


def _on_gpu(index: Any) -> bool:
    return type(_inner(index)).__name__.startswith("Gpu")


def _inner(index: Any) -> Any:
    """The index behind a rotation, if it has one."""
    import faiss

    index = faiss.downcast_index(index)
    return (
        faiss.downcast_index(index.index) if isinstance(index, faiss.IndexPreTransform) else index
    )


def _reason(error: Exception) -> str:
    """The last line of faiss's message; earlier lines name a place in its source."""
    text = str(error).strip().splitlines()[-1]
    return text.rpartition(".cpp:")[2].partition(": ")[2] or text
