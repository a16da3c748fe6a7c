"""Is one row of a table better than another? Paired, as both rank for the same mentions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from muver.evaluation.bootstrap import difference_interval
from muver.evaluation.ranks import check_same_mentions, hits_at

METHOD = "two-sided exact randomisation test of paired hits (sign test of the differing mentions)"


def paired(first: pa.Table, second: pa.Table, cutoffs: Sequence[int]) -> dict[str, Any]:
    """Compare the recall of two runs on the same mentions, first minus second.

    Parameters
    ----------
    first, second
        From :func:`muver.evaluation.ranks.read_ranks`.
    cutoffs
        The k of recall@k.

    Returns
    -------
    By cutoff (a string, as in JSON): ``difference`` in points of micro recall, its 95% bootstrap
    ``interval`` [low, high] (stratified by world), ``p_value``, and the number of mentions
    ``won`` (only the first run hits) and ``lost`` (only the second).

    Raises
    ------
    InputError
        If the tables are not of the same mentions in the same order, or hold too few candidates
        for a cutoff.
    """
    check_same_mentions(first, second)
    _, worlds = np.unique(first["world"].to_pylist(), return_inverse=True)
    found: dict[str, Any] = {
        name: {} for name in ("difference", "interval", "p_value", "won", "lost")
    }
    for k in cutoffs:
        one, other = hits_at(first, k), hits_at(second, k)
        won, lost = int((one & ~other).sum()), int((other & ~one).sum())
        found["difference"][str(k)] = 100 * (won - lost) / len(worlds)
        found["interval"][str(k)] = _interval(one, other, worlds)
        found["p_value"][str(k)] = sign_test(won, lost)
        found["won"][str(k)] = won
        found["lost"][str(k)] = lost
    return found


def sign_test(won: int, lost: int) -> float:
    """Two-sided p-value of ``won`` against ``lost`` mentions.

    Under the null hypothesis the two runs' outcomes on a mention may be swapped. Only mentions
    that one run alone hits are changed by that, and each goes either way with probability 1/2, so
    the exact randomisation test is a binomial test. 1 where the runs never differ. What is too
    small for a float is given as the smallest normal one: never 0, which no such test can find.
    """
    from scipy.stats import binomtest

    if won == lost:
        return 1.0
    p_value = binomtest(min(won, lost), won + lost).pvalue
    return max(float(p_value), float(np.finfo(float).tiny))


def _interval(one: np.ndarray, other: np.ndarray, worlds: np.ndarray) -> list[float]:
    differ = np.flatnonzero(one != other)
    if len(differ) and other[differ[0]]:
        # Always drawn in one direction, so that swapping the runs only turns the sign.
        low, high = _interval(other, one, worlds)
        return [-high, -low]
    return difference_interval(
        np.bincount(worlds, one & ~other).astype(int),
        np.bincount(worlds, other & ~one).astype(int),
        np.bincount(worlds),
    )
