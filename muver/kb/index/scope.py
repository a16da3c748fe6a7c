"""The entities among which a question is answered: those of a world, or all."""

from bisect import bisect
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.kb.index.letters import Letters
from muver.kb.index.segments import Part


class Scope:
    """The entities of a world, or of all worlds, in one row; removed ones keep their place in it.

    ``parts`` are the parts that have such entities, each with their rows there; of each of these,
    ``places`` says where its entities stand in the scope, ``starts`` where they begin (and, at the
    end, how many there are in all), and ``firsts`` which number the first has in the index.
    ``live``, (entities,) bool, is False for removed ones.
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
        """The number in the index of the entity at a place."""
        n = bisect(self.starts, place) - 1
        return self.firsts[n] + place - self.starts[n]

    def place(self, number: int) -> int:
        """The place of the entity that has a number in the index."""
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
        return Letters(self.parts, self.places)

    def vectors(self, column: str, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """(vectors, d) float32 of some entities, and (entities,) where those of each begin."""
        vectors = []
        for place in places:
            n = bisect(self.starts, place) - 1
            part, rows = self.parts[n]
            vectors.append(part.vectors_of(column, rows.start + place - self.starts[n]))
        return np.concatenate(vectors), np.cumsum([0, *map(len, vectors[:-1])])
