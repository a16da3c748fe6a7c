"""Verdicts: whether our number reproduces the published one, and whether a claim holds."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, stdev

from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.records import Judged, Published
from muver.retriever.evaluation.records import Percent

VERDICTS = ("reproduced", "near", "not reproduced", "cannot tell")
CLAIMS = ("holds", "does not hold", "cannot tell")
CONFIDENCE = 0.95


def compare(
    ours: Percent, theirs: Percent, mentions: int, seeds: Sequence[Percent] = ()
) -> Published:
    """Published recalls in percent with our differences from them, half-widths and verdicts."""
    found = {}
    for k, value in theirs.items():
        width = half_width(ours[k], value, mentions, [one[k] for one in seeds])
        apart = ours[k] - value
        found[k] = Judged(value, apart, width, verdict(apart, width))
    return found


def half_width(ours: float, theirs: float, mentions: int, seeds: Sequence[float] = ()) -> float:
    """Half of the 95% interval of the difference between two equal systems, in points.

    With several seeds, the two numbers differ only by training: ``t sqrt(2) s``, where s is the
    seeds' standard deviation and t Student's quantile with one degree of freedom
    less than seeds.

    With one seed, the effect of training is unknown, and each number counts as a share of
    ``mentions`` independent draws: ``1.96 sqrt(se_ours**2 + se_theirs**2)``. This is too wide, as
    the mentions are the same, and leaves training out (docs/fidelity.md, "What a verdict means").

    ``seeds`` are the row's recall with each seed, including its own; empty with a single one.
    """
    if len(seeds) > 1:
        from scipy.stats import t

        return float(t.ppf((1 + CONFIDENCE) / 2, len(seeds) - 1)) * sqrt(2) * stdev(seeds)
    variance = sum(share * (100 - share) / mentions for share in (ours, theirs))
    return NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt(variance)


def verdict(difference: float, width: float) -> str:
    """Judge one recall in both directions, as a recall that is too high may hide a leak.

    Outside ``width``, the verdict is "near" up to paper.yaml's ``tolerance.near`` points, else "not
    reproduced". Inside, it is "reproduced" if ``width`` is at most these points; a wider interval
    would hold nearly any number, so the verdict is "cannot tell".
    """
    tolerance = paper()["tolerance"]["near"]
    if abs(difference) > width:
        return "near" if abs(difference) <= tolerance else "not reproduced"
    return "reproduced" if width <= tolerance else "cannot tell"


def claim(difference: float, interval: Sequence[float], theirs: float) -> str:
    """Judge whether the difference between two of our rows supports the published one.

    "holds": the interval lies on the published side of zero. "does not hold": it lies on the other
    side, or it includes zero and the published difference is more than ``sqrt(2)`` half-widths
    away, the distance of two such differences. Else "cannot tell". A published difference of zero
    claims equal rows, which no interval can show: "cannot tell", or "does not hold" if ours is
    that far away.
    """
    low, high = interval
    if theirs < 0:
        difference, low, high, theirs = -difference, -high, -low, -theirs
    if low > 0 and theirs > 0:
        return "holds"
    apart = abs(theirs - difference) > sqrt(2) * (high - low) / 2
    return "does not hold" if high < 0 or apart else "cannot tell"
