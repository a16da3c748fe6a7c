"""The entities that a question is about, and the signals that speak for each of them."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.kb.index.names import Letters, folded
from muver.kb.index.rounding import exactly, slack
from muver.kb.index.segments import Part
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.answers import Mention
from muver.retriever.retrieval.blocks import Block
from muver.retriever.retrieval.exact import similarity

FIRST = 10.0  # what an equal name gives: more than all else together, by the weights of defaults


class Asked:
    """The entities of a world, or of all, with those that are removed, side by side.

    ``parts`` has the parts that have some, each with their rows; ``places`` says where these stand
    among all. ``live`` is (entities,) bool.
    """

    def __init__(self, parts: Sequence[Part], world: str | None):
        self.numbers = [n for n, part in enumerate(parts) if part.live[part.rows(world)].any()]
        self.parts = [(parts[n], parts[n].rows(world)) for n in self.numbers]
        counts = [rows.stop - rows.start for _, rows in self.parts]
        self.starts = np.cumsum([0, *counts])
        self.places = [slice(*ends) for ends in zip(self.starts, self.starts[1:], strict=False)]
        live = [part.live[rows] for part, rows in self.parts]
        self.live = np.concatenate([np.zeros(0, bool), *live])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def at(self, place: int) -> tuple[int, int]:
        """The number of an entity's part among all parts, and its row there."""
        n, row = self._find(place)
        return self.numbers[n], row

    def _find(self, place: int) -> tuple[int, int]:
        n = int(np.searchsorted(self.starts, place, side="right")) - 1
        return n, self.parts[n][1].start + place - int(self.starts[n])

    def place(self, part: int, row: int) -> int:
        """Where an entity stands: the other way round."""
        n = self.numbers.index(part)
        return int(self.starts[n]) + row - self.parts[n][1].start

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

    @staticmethod
    def live_in(part: Part, rows: slice) -> np.ndarray:
        """(entities of the part,) bool: whether it is asked for and there."""
        found = np.zeros(len(part), dtype=bool)
        found[rows] = part.live[rows]
        return found

    @cached_property
    def letters(self) -> Letters:
        return Letters(self)

    def vectors(self, column: str, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """(vectors, d) float32 of some entities, and (entities,) where those of each begin."""
        found = map(self._find, places)
        own = [self.parts[n][0].vectors_of(column, row) for n, row in found]
        return np.concatenate(own), np.cumsum([0, *map(len, own[:-1])])


class Signal(Protocol):
    """What speaks for each entity. Where it is ``sure``, scores are the same in any batch and part;
    otherwise those of few entities can be had ``exactly``.
    """

    sure: bool

    def scores(self, some: slice) -> np.ndarray:
        """Of some of the mentions: (mentions, entities) float32."""

    def slack(self, some: slice) -> np.ndarray | float:
        """(mentions,) more than twice what rounding can move a score by."""

    def exactly(self, mention: int, places: np.ndarray) -> np.ndarray:
        """(places,) float32 scores of a mention, the same in any batch and part."""


class Sure:
    """A signal whose scores no rounding moves."""

    sure = True

    def slack(self, some: slice) -> float:
        return 0.0


class Exact(Sure):
    """Whether a mention equals a name."""

    def __init__(self, asked: Asked, mentions: Sequence[Mention]):
        self._asked, self._names = asked, [folded(one.text) for one in mentions]

    def scores(self, some: slice) -> np.ndarray:
        found = np.zeros((some.stop - some.start, len(self._asked)), np.float32)
        for (part, rows), place in zip(self._asked.parts, self._asked.places, strict=True):
            for mention, name in enumerate(self._names[some]):
                for row in part.names.equal.get(name, ()):
                    if rows.start <= row < rows.stop:
                        found[mention, place.start + row - rows.start] = FIRST
        return found


class Characters(Sure):
    """Cosines of the letters of mentions and names."""

    def __init__(self, asked: Asked, mentions: Sequence[Mention]):
        self._letters, self._texts = asked.letters, [one.text for one in mentions]

    def scores(self, some: slice) -> np.ndarray:
        return self._letters.scores(self._texts[some])


class Vectors:
    """Similarities of (mentions, d) float32 ``queries`` and a column of vectors, of which
    ``length`` is that of the longest; an entity's are put together by an ``aggregate``, of which
    only the ``k`` best of a mention count.
    """

    def __init__(
        self,
        asked: Asked,
        column: str,
        queries: np.ndarray,
        length: float,
        aggregate: Aggregate,
        metric: str = "dot",
        scale: float = 1.0,
        k: int | None = None,
    ):
        self._asked, self._column, self._queries, self._length = asked, column, queries, length
        self._aggregate, self._metric, self._scale = aggregate, metric, scale
        self._k = k or len(asked)
        self.sure = not aggregate.alone  # cannot be had of a few entities

    def scores(self, some: slice) -> np.ndarray:
        queries = self._queries[some]
        found = np.empty((len(queries), len(self._asked)), np.float32)
        blocks = self._products(queries)
        if not self._aggregate.alone and len(self._asked):
            products, starts = zip(*blocks, strict=True)
            firsts = np.cumsum([0, *(one.shape[1] for one in products[:-1])])
            starts = [own + first for own, first in zip(starts, firsts, strict=True)]
            blocks = iter([(np.concatenate(products, axis=1), np.concatenate(starts))])
        done = 0
        for products, starts in blocks:
            scores = self._aggregate.scores(Block.of(products, starts), self._k)
            found[:, done : done + len(starts)] = scores
            done += len(starts)
        found /= np.float32(self._scale)
        return found

    def _products(self, queries: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Of each part (mentions, views) similarities, and where the views of each entity begin."""
        for part, rows in self._asked.parts:
            starts, vectors = part.vectors(self._column)
            first, last = starts[rows.start], starts[rows.stop]
            yield similarity(queries, vectors[first:last], self._metric), starts[rows] - first

    def slack(self, some: slice) -> np.ndarray | float:
        if self.sure:
            return 0.0
        return slack(self._queries[some], self._length, self._metric) / self._scale

    def exactly(self, mention: int, places: np.ndarray) -> np.ndarray:
        vectors, starts = self._asked.vectors(self._column, places.tolist())
        similarities = exactly(vectors, self._queries[mention][None], self._metric)
        found = self._aggregate.scores(Block.of(similarities, starts), len(starts))[0]
        return found / np.float32(self._scale)
