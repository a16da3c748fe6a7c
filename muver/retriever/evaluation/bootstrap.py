"""Bootstrap intervals: resample documents with all their mentions, within each world.

Mentions of one document share their context and often their gold entity, so they tend to be found
or missed together. Resampling whole documents allows for that; resampling mentions treats each as
independent. The setting ``evaluate.resample`` chooses.

Documents with the same counts (of mentions, and of hits at each cutoff) are interchangeable, so
one multinomial draw says how often each *kind* of document appears in a resample, and no mention
is copied. The seed is fixed: the same counts give the same interval.

If all mentions of a world are hits, or all are misses, its resamples are all alike and add no
width. This is a known weakness of the method with few mentions, not a sign of certainty.

(Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 8.3 and 13.3. Davison and
Hinkley, Bootstrap methods and their application, 1997, section 3.8.)
"""

from collections.abc import Iterator, Sequence

import numpy as np

from muver.retriever.evaluation.records import Intervals, Means

RESAMPLES = 10_000
SEED = 2021
CONFIDENCE = 0.95
AT_ONCE = 2_000_000  # draws in memory


def method(resample: str) -> str:
    """The method in words; ``resample`` is ``documents`` or ``mentions``."""
    drawn = {"documents": "documents with all their mentions", "mentions": "mentions"}[resample]
    return f"95% percentile bootstrap interval, {RESAMPLES} resamples of {drawn} within worlds"


def recall_intervals(
    ranks: np.ndarray, worlds: Sequence[str], clusters: np.ndarray, cutoffs: Sequence[int]
) -> tuple[Means, dict[str, Intervals]]:
    """Intervals of recall in percent: micro and macro, and for each world.

    A resample counts all cutoffs on the same mentions, so the bounds grow with k as recall does.
    ``ranks`` of gold entities are 0 where not retrieved; mentions with equal numbers of
    ``clusters`` are drawn together (:func:`muver.retriever.evaluation.recall.clusters`).
    """
    hits = (ranks[:, None] >= 1) & (ranks[:, None] <= np.array(cutoffs))
    generator = np.random.default_rng(SEED)
    total = np.zeros((RESAMPLES, len(cutoffs) + 1))
    shares = np.zeros((RESAMPLES, len(cutoffs)))
    by_world = {}
    for world, inside in strata(worlds):
        drawn = _resample(generator, hits[inside], clusters[inside])
        by_world[world] = _by_cutoff(cutoffs, drawn[:, :-1] / drawn[:, -1:])
        total += drawn
        shares += drawn[:, :-1] / drawn[:, -1:]
    micro = _by_cutoff(cutoffs, total[:, :-1] / total[:, -1:])
    return Means(micro=micro, macro=_by_cutoff(cutoffs, shares / len(by_world))), by_world


def difference_intervals(
    ahead: np.ndarray, worlds: Sequence[str], clusters: np.ndarray
) -> list[list[float]]:
    """The interval of the mean of each column of ``ahead``, (mentions, differences), in points: 1
    where the first of two systems alone hits, -1 where the second does. Swapping them only changes
    the signs.

    All columns have the same draws of documents, as one matrix, and no column has a part in
    another's interval. ``worlds`` and ``clusters`` are as in :func:`recall_intervals`.
    """
    columns = np.arange(ahead.shape[1])
    signs = np.sign(ahead[(ahead != 0).argmax(axis=0), columns])  # so that swapped rows mirror
    signs[signs == 0] = 1
    total = np.zeros((RESAMPLES, len(columns) + 1))
    generator = np.random.default_rng(SEED)
    for _, inside in strata(worlds):
        counts = _by_cluster(ahead[inside] * signs, clusters[inside])
        step = max(1, AT_ONCE // len(counts))
        for done in range(0, RESAMPLES, step):
            rows = min(step, RESAMPLES - done)
            drawn = generator.integers(0, len(counts), (rows, len(counts)))
            drawn += len(counts) * np.arange(rows)[:, None]
            times = np.bincount(drawn.ravel(), minlength=rows * len(counts))
            total[done : done + rows] += times.reshape(rows, -1).astype(float) @ counts
    intervals = [interval(total[:, n] / total[:, -1]) for n in columns]
    return [
        bounds if sign > 0 else [0 - bounds[1], 0 - bounds[0]]
        for bounds, sign in zip(intervals, signs, strict=True)
    ]


def _by_cluster(counted: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Sums of the (mentions, columns) in each cluster; the last column counts its mentions."""
    _, of = np.unique(clusters, return_inverse=True)
    kind = np.result_type(counted, np.float64)
    sums = np.zeros((of.max() + 1, counted.shape[1] + 1), dtype=kind)
    np.add.at(sums, of, np.column_stack([counted, np.ones(len(counted), dtype=kind)]))
    return sums


def draw_means(ahead: np.ndarray, worlds: Sequence[str], clusters: np.ndarray) -> np.ndarray:
    """Means of ``ahead``, (mentions, seeds), over resampled clusters and seeds: (RESAMPLES,).

    Of n seeds n - 1 are drawn with replacement, so that the variance of their mean has no bias (Rao
    and Wu, Resampling inference with complex survey data, 1988, section 2). One seed stays.
    """
    generator = np.random.default_rng(SEED)
    seeds = ahead.shape[1]
    total = np.zeros((RESAMPLES, seeds + 1))
    for _, inside in strata(worlds):
        total += _resample(generator, ahead[inside], clusters[inside])
    times = np.ones((RESAMPLES, 1))
    if seeds > 1:
        times = generator.multinomial(seeds - 1, np.full(seeds, 1 / seeds), RESAMPLES)
    return (total[:, :-1] * times).sum(1) / times.sum(1) / total[:, -1]


def strata(worlds: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Each world's name and which mentions belong to it: (mentions,) bool."""
    owners = np.array(worlds, dtype=object)
    for world in sorted(set(worlds)):
        yield world, owners == world


def _resample(
    generator: np.random.Generator, counted: np.ndarray, clusters: np.ndarray
) -> np.ndarray:
    """Resample the clusters of one world and sum the (mentions, columns) counts of their mentions.

    (RESAMPLES, columns + 1); the last column counts the mentions of each resample.
    """
    sums = _by_cluster(counted, clusters)
    kinds, alike = np.unique(sums, axis=0, return_counts=True)
    step = max(1, AT_ONCE // len(kinds))
    return np.concatenate(
        [
            generator.multinomial(len(sums), alike / len(sums), min(step, RESAMPLES - done)) @ kinds
            for done in range(0, RESAMPLES, step)
        ]
    )


def _by_cutoff(cutoffs: Sequence[int], shares: np.ndarray) -> Intervals:
    return {k: interval(shares[:, n]) for n, k in enumerate(cutoffs)}


def interval(shares: np.ndarray) -> list[float]:
    tail = (1 - CONFIDENCE) / 2
    return (100 * np.quantile(shares, [tail, 1 - tail])).tolist()
