"""Error rates by the length of the gold entity's description (Figure 2 of the paper)."""

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from muver.io.typed import Record
from muver.retriever.evaluation.bootstrap import difference_interval
from muver.retriever.evaluation.recall import check_same_mentions, clusters, hits_at


class Bin(Record):
    """Errors of two systems on gold descriptions with ``first`` to ``last`` sentences.

    A bin without mentions has no shares.
    """

    first: int
    last: int
    mentions: int
    errors: list[int]  # misses of each system
    error: list[float] | None = None  # their shares in percent
    interval: list[list[float]] | None = None  # 95% Wilson score interval of each share
    difference: float | None = None  # the second's share minus the first's, in points
    difference_interval: list[float] | None = None  # by the bootstrap


class Remainder(Record):
    """Mentions in no bin: with more sentences than the last bin, or without any."""

    over: int
    without: int


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
        bins.append(_compare(first, first + size - 1, *misses[:, inside], together[inside]))
    return bins, Remainder(over=int((lengths > last).sum()), without=int((lengths < 1).sum()))


def wilson(count: int, mentions: int) -> list[float]:
    """95% Wilson score interval of a share, in percent.

    Unlike the bootstrap it has a width even if all mentions of a small bin are missed.
    """
    from scipy.stats import binomtest

    found = binomtest(count, mentions).proportion_ci(method="wilson")
    return [100 * float(found.low), 100 * float(found.high)]


def _compare(first: int, last: int, a: np.ndarray, b: np.ndarray, together: np.ndarray) -> Bin:
    """One bin, from the misses of a and b and the cluster of each mention."""
    mentions, errors = len(a), [int(a.sum()), int(b.sum())]
    counted = Bin(first=first, last=last, mentions=mentions, errors=errors)
    if not mentions:
        return counted
    return replace(
        counted,
        error=[100 * count / mentions for count in errors],
        interval=[wilson(count, mentions) for count in errors],
        difference=100 * (errors[1] - errors[0]) / mentions,
        difference_interval=difference_interval(b, a, [""] * mentions, together),
    )
