"""Whether a number of ours is the published one."""

from collections.abc import Mapping
from math import sqrt
from statistics import NormalDist
from typing import Any

from muver.tables.paper import Recall, paper

VERDICTS = ("reproduced", "near", "not reproduced")
CONFIDENCE = 0.95


def compare(
    ours: Mapping[str, float],
    theirs: Recall | None,
    mentions: int,
    spread: Mapping[str, float] | None = None,
    reference: str = "paper",
) -> dict[str, Any]:
    """A row's published numbers, the differences in points and a verdict on each.

    Parameters
    ----------
    ours, theirs
        Recall in percent by cutoff; ``theirs`` is None where nothing is published.
    mentions, spread
        As for :func:`verdict`; ``spread`` by cutoff.
    reference
        ``paper``, or a further reference, whose name then stands before the keys.

    Returns
    -------
    ``paper``, ``difference`` and ``verdict`` (``readme``, ``readme_difference``,
    ``readme_verdict``), each by cutoff with None where there is no number, or None as a whole.
    """
    prefix = "" if reference == "paper" else f"{reference}_"
    keys = (reference, f"{prefix}difference", f"{prefix}verdict")
    if theirs is None:
        return dict.fromkeys(keys)
    known = {k: (ours[k], value) for k, value in theirs.items() if value is not None}
    points = {k: mine - value for k, (mine, value) in known.items()}
    verdicts = {
        k: verdict(mine, value, mentions, spread[k] if spread else 0.0)
        for k, (mine, value) in known.items()
    }
    return dict(
        zip(
            keys,
            (theirs, {k: points.get(k) for k in theirs}, {k: verdicts.get(k) for k in theirs}),
            strict=True,
        )
    )


def verdict(ours: float, theirs: float, mentions: int, spread: float = 0.0) -> str:
    """Judge one recall, both ways: too high is as suspect as too low, as it may hide a leak.

    "reproduced": the difference lies inside the 95% interval of a difference between two equal
    systems, ``1.96 sqrt(se_ours**2 + se_theirs**2)`` by the normal approximation. Each se is
    that of a share of ``mentions`` draws, with the variance between seeds added, as either
    number comes from one seed. The interval is generous in one way, because both were measured on
    the same mentions, which it takes for independent draws; and tight in another where ``spread``
    is not known, because then a seed's luck is left out.

    "near": at most paper.yaml's ``tolerance.near`` points away. "not reproduced": further.

    Parameters
    ----------
    ours, theirs
        Recall in percent.
    mentions
        How many both were measured on.
    spread
        Standard deviation between seeds in points; 0 if there is one seed only.
    """
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    variance = sum(share * (100 - share) / mentions + spread**2 for share in (ours, theirs))
    distance = abs(ours - theirs)
    if distance <= z * sqrt(variance):
        return "reproduced"
    return "near" if distance <= paper()["tolerance"]["near"] else "not reproduced"
