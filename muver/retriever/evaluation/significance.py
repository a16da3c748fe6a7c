"""Paired tests: is one row of a table better than another on the same mentions?"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa

from muver.io.typed import Record
from muver.retriever.evaluation.bootstrap import difference_intervals
from muver.retriever.evaluation.recall import check_same_mentions, clusters, hits_at
from muver.retriever.evaluation.records import Bin, Counts, Intervals, Percent, Remainder


class Paired(Record):
    """The recall of one run against another's on the same mentions, by cutoff."""

    difference: Percent  # the first minus the second, in points of micro recall
    interval: Intervals  # 95%, by a bootstrap stratified by world
    p_value: dict[int, float]
    won: Counts  # mentions that only the first run hits
    lost: Counts  # and only the second


def method(resample: str) -> str:
    """The test in words; ``resample`` is ``documents`` or ``mentions``."""
    swapped = {
        "documents": "the outcomes of whole documents swapped between the two rows",
        "mentions": "the outcomes of mentions swapped between the two rows",
    }[resample]
    return f"two-sided exact randomisation test of paired hits, {swapped}"


def all_paired(
    pairs: Sequence[tuple[pa.Table, pa.Table]], cutoffs: Sequence[int], resample: str
) -> list[Paired]:
    """Compare the recall of the two runs of each pair, first minus second, by their ranks.

    All are on the same mentions; interval and test treat ``documents`` or ``mentions`` as
    independent, as ``resample`` says.
    """
    mentions = pairs[0][0]
    for table in (table for pair in pairs for table in pair):
        check_same_mentions(mentions, table)
    together = clusters(mentions, resample)
    ahead = np.stack(
        [hits_at(first, k).astype(np.int64) - hits_at(other, k) for first, other in pairs
         for k in cutoffs], axis=1,
    )  # fmt: skip
    intervals = difference_intervals(ahead, mentions["world"].to_pylist(), together)
    columns = iter(zip(ahead.T, intervals, strict=True))
    comparisons = []
    for _ in pairs:
        paired = Paired(difference={}, interval={}, p_value={}, won={}, lost={})
        for k, (column, interval) in zip(cutoffs, columns, strict=False):
            paired.difference[k] = 100 * int(column.sum()) / len(column)
            paired.interval[k] = interval
            paired.p_value[k] = randomisation_test(np.bincount(together, column).astype(int))
            paired.won[k] = int((column > 0).sum())
            paired.lost[k] = int((column < 0).sum())
        comparisons.append(paired)
    return comparisons


def randomisation_test(ahead: np.ndarray) -> float:
    """Two-sided exact p-value of the sum of ``ahead`` under random signs.

    ``ahead``, (documents,) int64, is the number of mentions that only the first run hits minus
    those that only the second hits. Under the null hypothesis the two runs' outcomes on a document
    can be swapped, which changes the sign of its entry. Among the documents that differ by n
    mentions, the number that keep their sign is binomial, so the sum is a sum of binomials. With
    one mention per document this is the sign test.

    A p-value too small for a float becomes the smallest normal one, since it is never 0. Ahead by
    1, 1 and 2 in three documents: of the 8 ways to set the signs, 2 give a sum of 4 or -4.

    >>> randomisation_test(np.array([1, 1, 2]))
    0.25
    """
    total = int(ahead.sum())
    if total == 0:
        return 1.0
    sizes, numbers = np.unique(np.abs(ahead[ahead != 0]), return_counts=True)
    chances = np.ones(1)  # of 0, 1, 2, ... mentions in documents that keep their sign
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        apart = np.zeros(size * number + 1)
        apart[::size] = _signs(number)
        chances = np.convolve(chances, apart)
    least = (len(chances) - 1 + abs(total)) // 2  # mentions that must go one way to give this sum
    return min(1.0, max(float(2 * chances[least:].sum()), float(np.finfo(float).tiny)))


def _signs(number: int) -> list[float]:
    """Chances that 0, 1, ... of so many documents keep their sign."""
    ways = accumulate(range(number), lambda n, kept: n * (number - kept) // (kept + 1), initial=1)
    return [count / 2**number for count in ways]


def error_by_length(
    ranks_a: pa.Table,
    ranks_b: pa.Table,
    cutoff: int,
    resample: str,
    size: int,
    last: int,
) -> tuple[list[Bin], Remainder]:
    """The error rate (1 - recall@``cutoff``) of two runs by number of sentences.

    Bins are 1 to ``size``, ``size`` + 1 to 2 ``size`` and so on up to ``last`` sentences, a
    multiple of ``size``. The bootstrap treats ``documents`` or ``mentions`` as independent, as
    ``resample`` says, within a bin and not within worlds, as a bin often holds a single mention of
    a world.
    """
    check_same_mentions(ranks_a, ranks_b)
    misses = np.stack([~hits_at(ranks_a, cutoff), ~hits_at(ranks_b, cutoff)])
    lengths, together = ranks_a["sentences"].to_numpy(), clusters(ranks_a, resample)
    bins = []
    for first in range(1, last + 1, size):
        inside = (lengths >= first) & (lengths < first + size)
        of_bin, mentions = misses[:, inside].astype(np.int64), int(inside.sum())
        errors, shares = of_bin.sum(axis=1).tolist(), {}
        if mentions:
            ahead = (of_bin[1] - of_bin[0])[:, None]
            (interval,) = difference_intervals(ahead, [""] * mentions, together[inside])
            shares = {
                "error": [100 * count / mentions for count in errors],
                "interval": [wilson(count, mentions) for count in errors],
                "difference": 100 * (errors[1] - errors[0]) / mentions,
                "difference_interval": interval,
            }
        bins.append(Bin(first, first + size - 1, mentions, errors, **shares))
    return bins, Remainder(over=int((lengths > last).sum()), without=int((lengths < 1).sum()))


def wilson(count: int, mentions: int) -> list[float]:
    """95% Wilson score interval of a share, in percent.

    Unlike the bootstrap it has a width even if all mentions of a small bin are missed.
    """
    from scipy.stats import binomtest

    share = binomtest(count, mentions).proportion_ci(method="wilson")
    return [100 * float(share.low), 100 * float(share.high)]
