"""Exact search by a weighted sum of signals; answers do not depend on how entities are spread over
parts.

A matrix product rounds differently by the shape of its matrices. So products only say which
entities may be among the best. These are compared by sums that are always taken in the same order;
equal scores are ordered by world and id.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from muver.kb.index.asked import Asked, Signal
from muver.kb.index.weights import Weights

MEMORY_MB = 256  # of the scores held at a time
PRODUCTS = 2**18  # bytes of a mention's products with the vectors of a part, about


class Hit(NamedTuple):
    """A ranked entity: where it lies, and what each signal gives to its score."""

    part: int
    row: int
    signals: dict[str, float]


def search(
    asked: Asked, signals: Mapping[str, Signal], weights: Weights, mentions: int, k: int
) -> list[list[Hit]]:
    """The best ``k`` entities of each mention by the sum, best first, or all if there are fewer.

    Without a model those of which no signal says anything are none.
    """
    found = []
    for some in _spans(asked, len(signals), mentions):
        total = np.zeros((some.stop - some.start, len(asked)))
        room, sure = np.zeros(len(total)), {}
        for name, one in signals.items():
            scores, slack = one.scores(some), one.slack(some)
            total += weights[name] * scores.astype(np.float64)
            room += weights[name] * slack
            if one.sure:
                sure[name] = scores
        total[:, ~asked.live] = -np.inf
        least = 0 if len(sure) == len(signals) else -np.inf
        for row, values in enumerate(total):
            near = np.flatnonzero(values > least)
            if len(near) > k:
                last = np.partition(values[near], -k)[-k]
                near = near[values[near] >= last - room[row]]
            if not len(near):
                found.append([])
                continue
            given = {
                name: weights[name]
                * (
                    sure[name][row, near] if name in sure else one.exactly(some.start + row, near)
                ).astype(np.float64)
                for name, one in signals.items()
            }
            found.append(_best(asked, near, given, k))
    return found


def contributions(
    asked: Asked, signals: Mapping[str, Signal], weights: Weights, place: int
) -> dict[str, float]:
    """What each signal gives to the score of one entity for the first of the mentions."""
    places, first = np.array([place]), slice(0, 1)
    return {
        name: weights[name]
        * float(one.scores(first)[0, place] if one.sure else one.exactly(0, places)[0])
        for name, one in signals.items()
    }


def _best(asked: Asked, near: np.ndarray, given: Mapping[str, np.ndarray], k: int) -> list[Hit]:
    scores = sum(given.values())
    best = np.lexsort((asked.order[near], -scores))[:k].tolist()
    return [
        Hit(*asked.at(int(near[n])), {name: float(own[n]) for name, own in given.items()})
        for n in best
    ]


def _spans(asked: Asked, signals: int, mentions: int) -> Iterator[slice]:
    """As many mentions at a time as fit into memory with all their scores; at least one."""
    one = len(asked) * (16 + 4 * signals) + PRODUCTS
    size = max(MEMORY_MB * 2**20 // one, 1)
    return (slice(first, min(first + size, mentions)) for first in range(0, mentions, size))
