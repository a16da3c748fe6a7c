"""Paired tests: is one row of a table better than another on the same mentions?"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from muver.io.typed import Record
from muver.retriever.evaluation.bootstrap import difference_interval
from muver.retriever.evaluation.recall import check_same_mentions, clusters, hits_at
from muver.retriever.evaluation.records import Counts, Intervals, Percent


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


def paired(first: pa.Table, second: pa.Table, cutoffs: Sequence[int], resample: str) -> Paired:
    """Compare the recall of two runs on the same mentions, first minus second.

    The tables are of ranks; interval and test treat ``documents`` or ``mentions`` as independent,
    as ``resample`` says.
    """
    check_same_mentions(first, second)
    worlds, together = first["world"].to_pylist(), clusters(first, resample)
    found = Paired(difference={}, interval={}, p_value={}, won={}, lost={})
    for k in cutoffs:
        one, other = hits_at(first, k), hits_at(second, k)
        ahead = one.astype(np.int64) - other
        found.difference[k] = 100 * int(ahead.sum()) / len(ahead)
        found.interval[k] = difference_interval(one, other, worlds, together)
        found.p_value[k] = randomisation_test(np.bincount(together, ahead).astype(int))
        found.won[k] = int((ahead > 0).sum())
        found.lost[k] = int((ahead < 0).sum())
    return found


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
    from scipy.stats import binom

    total = int(ahead.sum())
    if total == 0:
        return 1.0
    sizes, numbers = np.unique(np.abs(ahead[ahead != 0]), return_counts=True)
    chances = np.ones(1)  # of 0, 1, 2, ... mentions in documents that keep their sign
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        own = np.zeros(size * number + 1)
        own[::size] = binom.pmf(np.arange(number + 1), number, 0.5)
        chances = np.convolve(chances, own)
    least = (len(chances) - 1 + abs(total)) // 2  # mentions that must go one way to give this sum
    return min(1.0, max(float(2 * chances[least:].sum()), float(np.finfo(float).tiny)))
