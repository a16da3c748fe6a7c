"""Verdicts: does our number reproduce the published one, does our difference bear out its claim."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist, stdev
from typing import Any

from muver.tables.paper import Recall, paper

VERDICTS = ("reproduced", "near", "not reproduced", "cannot tell")
CLAIMS = ("holds", "does not hold", "cannot tell")
CONFIDENCE = 0.95


def compare(
    ours: Mapping[str, float],
    theirs: Recall | None,
    mentions: int,
    seeds: Sequence[Mapping[str, float]] = (),
    reference: str = "paper",
) -> dict[str, Any]:
    """A row's published numbers, differences in points with half-widths, and verdicts.

    Parameters
    ----------
    ours, theirs
        Recall in percent by cutoff; ``theirs`` is None where nothing is published.
    mentions, seeds
        As for :func:`half_width`; ``seeds`` by cutoff.
    reference
        ``paper``, or a further reference, whose name then stands before the keys.

    Returns
    -------
    ``paper``, ``difference``, ``half_width`` and ``verdict`` (``readme``, ``readme_difference``,
    ...), each by cutoff with None where there is no number, or None as a whole.
    """
    prefix = "" if reference == "paper" else f"{reference}_"
    names = (reference, f"{prefix}difference", f"{prefix}half_width", f"{prefix}verdict")
    if theirs is None:
        return dict.fromkeys(names)
    found: dict[str, Any] = {name: dict.fromkeys(theirs) for name in names}
    for k, value in theirs.items():
        if value is None:
            continue
        width = half_width(ours[k], value, mentions, [one[k] for one in seeds])
        judged = (value, ours[k] - value, width, verdict(ours[k] - value, width))
        for name, one in zip(names, judged, strict=True):
            found[name][k] = one
    return found


def half_width(ours: float, theirs: float, mentions: int, seeds: Sequence[float] = ()) -> float:
    """Half of the 95% interval of the difference between two equal systems, in points.

    With further seeds of ours, both numbers are of one system on the same mentions, so that only
    training differs: ``t sqrt(2) s``, where s is the seeds' standard deviation and t Student's
    quantile with one degree of freedom less than seeds.

    With one seed, nothing is known of that, and the two count as shares of ``mentions`` independent
    draws each: ``1.96 sqrt(se_ours**2 + se_theirs**2)``. That is too wide, as the mentions are the
    same ones, and leaves training out. docs/fidelity.md says how little it tells apart.

    Parameters
    ----------
    ours, theirs
        Recall in percent.
    mentions
        How many both were measured on.
    seeds
        Recall of the row by seed, the row's own among them; empty where there is one only.
    """
    if len(seeds) > 1:
        from scipy.stats import t

        return float(t.ppf((1 + CONFIDENCE) / 2, len(seeds) - 1)) * sqrt(2) * stdev(seeds)
    variance = sum(share * (100 - share) / mentions for share in (ours, theirs))
    return NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt(variance)


def verdict(difference: float, width: float) -> str:
    """Judge one recall, both ways: too high is as suspect as too low, as it may hide a leak.

    Further apart than ``width``, it is "near" up to paper.yaml's ``tolerance.near`` points, else
    "not reproduced". Inside, it is "reproduced" if ``width`` is no more than these points; a wider
    interval would hold nearly any number, so that the verdict is "cannot tell".

    Parameters
    ----------
    difference
        Ours minus the published one, in points.
    width
        Of :func:`half_width`.
    """
    tolerance = paper()["tolerance"]["near"]
    if abs(difference) > width:
        return "near" if abs(difference) <= tolerance else "not reproduced"
    return "reproduced" if width <= tolerance else "cannot tell"


def claim(difference: float, interval: Sequence[float], theirs: float) -> str:
    """Judge whether a difference between two of our rows bears out the published one.

    "holds": the interval lies on the published side of zero. "does not hold": it lies on the other
    side, or it does not and the published difference is further away than two such differences
    are, ``sqrt(2)`` half-widths. Else "cannot tell". A published difference of zero claims that the
    rows are alike, which no interval can show: "cannot tell", unless ours is further away.

    Parameters
    ----------
    difference, interval
        Ours in points, with its paired 95% interval [low, high].
    theirs
        The published one.
    """
    low, high = interval
    if theirs < 0:
        difference, low, high, theirs = -difference, -high, -low, -theirs
    if low > 0 and theirs > 0:
        return "holds"
    apart = abs(theirs - difference) > sqrt(2) * (high - low) / 2
    return "does not hold" if high < 0 or apart else "cannot tell"
