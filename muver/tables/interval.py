"""Confidence intervals of a recall, and how a recall is printed."""

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

METHOD = "95% Wilson score interval"


def wilson(hits: int, mentions: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share, in percent.

    It treats mentions as independent; unlike the normal approximation it stays inside 0..100
    and keeps its coverage where recall is near 100.

    References
    ----------
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 1927.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = hits / mentions, z * z / mentions
    centre = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(share * (1 - share) / mentions + spread / mentions / 4)
    return 100 * max(centre - half, 0.0), 100 * min(centre + half, 1.0)


def intervals(hits: Mapping[str, int], mentions: int) -> dict[str, list[float]]:
    """The interval at each cutoff."""
    return {k: list(wilson(count, mentions)) for k, count in hits.items()}


def percent(hits: int, mentions: int) -> str:
    """A share in percent with two decimals, rounded half to even on the exact value.

    >>> percent(1, 3), percent(1, 800), percent(3, 800)
    ('33.33', '0.12', '0.38')
    """
    hundredths = round(Fraction(10_000 * hits, mentions))
    return f"{hundredths // 100}.{hundredths % 100:02d}"
