"""Bootstrap intervals over mentions, stratified by world.

Resampling the mentions of a world with replacement and counting hits is one draw from a binomial
distribution (for several cutoffs at once, or for won and lost mentions: a multinomial one), so the
counts are drawn and no mention is ever copied. The seed is fixed: the same counts give the same
interval.

Where all mentions of a world are hits, or none is, every resample of it is alike: the world adds
no width, and an interval made of such worlds alone is the point itself. That is the method's
known weakness with few mentions, not certainty.

References
----------
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 8.3 and 13.3.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

RESAMPLES = 10_000
SEED = 2021
CONFIDENCE = 0.95
METHOD = f"95% percentile bootstrap interval, {RESAMPLES} resamples of mentions within worlds"


def recall_intervals(worlds: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The interval of each recall: over all mentions, of the mean of worlds, by world.

    All cutoffs of a resample are counted on the same drawn mentions, so the bounds grow with k
    as recall does.

    Parameters
    ----------
    worlds
        For each world ``mentions`` and ``hits`` by cutoff, as
        :func:`muver.evaluation.recall.summarise` gives them.

    Returns
    -------
    ``micro`` and ``macro``, each {cutoff: [low, high]} in percent, and ``worlds`` with the same
    by world.
    """
    cutoffs = sorted(next(iter(worlds.values()))["hits"], key=int)
    generator = np.random.default_rng(SEED)
    hits = np.zeros((RESAMPLES, len(cutoffs)))
    shares = np.zeros((RESAMPLES, len(cutoffs)))
    by_world = {}
    for world, counted in worlds.items():
        drawn = _draw_hits(generator, [counted["hits"][k] for k in cutoffs], counted["mentions"])
        by_world[world] = _by_cutoff(cutoffs, drawn / counted["mentions"])
        hits += drawn
        shares += drawn / counted["mentions"]
    mentions = sum(counted["mentions"] for counted in worlds.values())
    return {
        "micro": _by_cutoff(cutoffs, hits / mentions),
        "macro": _by_cutoff(cutoffs, shares / len(worlds)),
        "worlds": by_world,
    }


def difference_interval(
    won: Sequence[int], lost: Sequence[int], mentions: Sequence[int]
) -> list[float]:
    """The interval of the difference between two systems scored on the same mentions.

    Parameters
    ----------
    won, lost, mentions : (worlds,)
        Mentions that only the first system hits, that only the second hits, and all.

    Returns
    -------
    [low, high] of 100 (won - lost) / mentions, in points.
    """
    generator = np.random.default_rng(SEED)
    ahead = np.zeros(RESAMPLES)
    for first, second, total in zip(won, lost, mentions, strict=True):
        shares = np.array([first, second, total - first - second]) / total
        drawn = generator.multinomial(total, shares, RESAMPLES)
        ahead += drawn[:, 0] - drawn[:, 1]
    return _interval(ahead / sum(mentions))


def _draw_hits(generator: np.random.Generator, hits: Sequence[int], mentions: int) -> np.ndarray:
    """Hits at each cutoff of every resample: (RESAMPLES, cutoffs)."""
    first_hit_at = np.diff([0, *hits, mentions])  # the last: not found at any cutoff
    drawn = generator.multinomial(mentions, first_hit_at / mentions, RESAMPLES)
    return drawn.cumsum(axis=1)[:, :-1]


def _by_cutoff(cutoffs: Sequence[str], shares: np.ndarray) -> dict[str, list[float]]:
    return {k: _interval(shares[:, n]) for n, k in enumerate(cutoffs)}


def _interval(shares: np.ndarray) -> list[float]:
    tail = (1 - CONFIDENCE) / 2
    return (100 * np.quantile(shares, [tail, 1 - tail])).tolist()
