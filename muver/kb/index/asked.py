"""The entities that a question is asked of, side by side."""

from bisect import bisect
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.kb.index.letters import Letters
from muver.kb.index.segments import Part


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
