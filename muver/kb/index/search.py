"""Exact search by a weighted sum of signals; answers do not depend on how entities are spread over
parts.

A matrix product rounds differently by the shape of its matrices. So products only say which
entities may be among the best. These are compared by sums that are always taken in the same order;
equal scores are ordered by world and id.
"""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.kb.index.index_settings import Weights
from muver.kb.index.names import Letters
from muver.kb.index.segments import Part

MEMORY_MB = 256  # of the scores held at a time
PRODUCTS = 2**18  # bytes of a mention's products with the vectors of a part, about


class Asked:
    """The entities of a world, or of all, with those that are removed, side by side.

    ``parts`` has the parts that have some, each with their rows, and ``firsts`` the number that the
    first of them has in the index; ``places`` says where they stand among all. ``live`` is
    (entities,) bool.
    """

    def __init__(self, parts: Sequence[Part], world: str | None):
        self.parts: list[tuple[Part, slice]] = []
        self.firsts: list[int] = []
        for first, part in zip(accumulate(map(len, parts), initial=0), parts, strict=False):
            rows = part.rows(world)
            if part.live[rows].any():
                self.parts.append((part, rows))
                self.firsts.append(first + rows.start)
        counts = (rows.stop - rows.start for _, rows in self.parts)
        self.starts = list(accumulate(counts, initial=0))
        self.places = list(map(slice, self.starts, self.starts[1:]))
        live = [part.live[rows] for part, rows in self.parts]
        self.live = np.concatenate([np.zeros(0, bool), *live])

    def __len__(self) -> int:
        return self.starts[-1]

    def number(self, place: int) -> int:
        """The number in the index of the entity that stands here."""
        n = bisect(self.starts, place) - 1
        return self.firsts[n] + place - self.starts[n]

    def place(self, number: int) -> int:
        """Where the entity of a number stands: the other way round."""
        n = bisect(self.firsts, number) - 1
        return self.starts[n] + number - self.firsts[n]

    @cached_property
    def order(self) -> np.ndarray:
        """(entities,) int64 their order by world and id, by which equal scores are ordered."""
        names = ["world", "id"]
        keys = [part.batch.select(names).slice(rows.start, rows.stop - rows.start)
                for part, rows in self.parts]  # fmt: skip
        by_key = pc.sort_indices(
            pa.Table.from_batches(keys), sort_keys=[(name, "ascending") for name in names]
        )
        order = np.empty(len(self), np.int64)
        order[by_key] = np.arange(len(self))
        return order

    @cached_property
    def letters(self) -> Letters:
        return Letters(self)

    def vectors(self, column: str, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """(vectors, d) float32 of some entities, and (entities,) where those of each begin."""
        vectors = []
        for place in places:
            n = bisect(self.starts, place) - 1
            part, rows = self.parts[n]
            vectors.append(part.vectors_of(column, rows.start + place - self.starts[n]))
        return np.concatenate(vectors), np.cumsum([0, *map(len, vectors[:-1])])


class Signal(Protocol):
    """What speaks for each entity. Where it is ``sure``, scores are the same in any batch and part;
    otherwise those of few entities can be had ``exactly``.
    """

    sure: bool

    def scores(self, mentions_at: slice) -> np.ndarray:
        """Of some of the mentions: (mentions, entities) float32."""

    def slack(self, mentions_at: slice) -> np.ndarray | float:
        """(mentions,) more than twice what rounding can move a score by."""

    def exactly(self, mention: int, places: np.ndarray) -> np.ndarray:
        """(places,) float32 scores of a mention, the same in any batch and part."""


class Hit(NamedTuple):
    """A ranked entity: its number in the index, and what each signal gives to its score."""

    number: int
    signals: dict[str, float]


def search(
    asked: Asked, signals: Mapping[str, Signal], weights: Weights, mentions: int, k: int
) -> list[list[Hit]]:
    """The best ``k`` entities of each mention by the sum, best first, or all if there are fewer.

    Without a model those of which no signal says anything are none.
    """
    found = []
    for mentions_at in _spans(asked, len(signals), mentions):
        total = np.zeros((mentions_at.stop - mentions_at.start, len(asked)))
        room, sure = np.zeros(len(total)), {}
        for name, signal in signals.items():
            scores, slack = signal.scores(mentions_at), signal.slack(mentions_at)
            total += weights[name] * scores.astype(np.float64)
            room += weights[name] * slack
            if signal.sure:
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
            contributed, mention = {}, mentions_at.start + row
            for name, signal in signals.items():
                scores = sure[name][row, near] if name in sure else signal.exactly(mention, near)
                contributed[name] = weights[name] * scores.astype(np.float64)
            found.append(_best(asked, near, contributed, k))
    return found


def contributions(signals: Mapping[str, Signal], weights: Weights, place: int) -> dict[str, float]:
    """What each signal gives to the score of an entity for the first of the mentions."""
    places, first = np.array([place]), slice(0, 1)
    return {
        name: weights[name]
        * float(signal.scores(first)[0, place] if signal.sure else signal.exactly(0, places)[0])
        for name, signal in signals.items()
    }


def _best(
    asked: Asked, near: np.ndarray, contributed: Mapping[str, np.ndarray], k: int
) -> list[Hit]:
    total = sum(contributed.values())
    best = np.lexsort((asked.order[near], -total))[:k].tolist()
    signals = [{name: float(scores[n]) for name, scores in contributed.items()} for n in best]
    return [
        Hit(asked.number(int(near[n])), of_hit) for n, of_hit in zip(best, signals, strict=True)
    ]


def _spans(asked: Asked, signals: int, mentions: int) -> Iterator[slice]:
    """As many mentions at a time as fit into memory with all their scores; at least one."""
    of_a_mention = len(asked) * (16 + 4 * signals) + PRODUCTS  # bytes
    size = max(MEMORY_MB * 2**20 // of_a_mention, 1)
    return (slice(first, min(first + size, mentions)) for first in range(0, mentions, size))
