"""Blocks of views: what a searcher multiplies at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class ViewBlock:
    """The vectors of some candidates' views, each candidate's next to each other.

    A candidate is an entity, or all entities with the same title if titles decide
    (docs/fidelity.md, "What counts as found").
    """

    vectors: np.ndarray  # (views, d) float32
    rows: np.ndarray  # (views,) number of each view in its store
    starts: np.ndarray  # (candidates,) first view of each candidate
    owners: np.ndarray  # (views,) number of each view's entity
    live: np.ndarray | None = None  # (candidates,) false for removed ones; None if all are there

    @classmethod
    def of(
        cls, parts: Sequence[np.ndarray], entities: np.ndarray, candidate_of: np.ndarray
    ) -> "ViewBlock":
        """Order a world's views by candidate, in one copy.

        The vectors come in consecutive ``parts``, (some views, d) each; ``entities``, (views,), are
        line numbers. ``candidate_of``, (entities of the world,), is the candidate of each, by the
        line number of its first entity (:func:`first_with_same` of titles, or of line numbers).
        """
        candidates = candidate_of[entities]
        rows = np.argsort(candidates, kind="stable")
        ordered = candidates[rows]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        in_order = np.array_equal(rows, np.arange(len(rows)))
        if in_order and len(parts) == 1:  # a memory-mapped store stays on disk
            return cls(parts[0], rows, starts, entities)
        vectors = np.empty((len(rows), parts[0].shape[1]), dtype=np.float32)
        places = np.argsort(rows)
        first = 0
        for part in parts:
            vectors[places[first : first + len(part)]] = part
            first += len(part)
        return cls(vectors, rows, starts, entities[rows])

    @cached_property
    def counts(self) -> np.ndarray:
        """(candidates,) the number of views of each candidate."""
        return np.diff(self.starts, append=len(self.owners))

    def of_candidate(self, entity: int) -> "ViewBlock":
        """Only the views of the candidate that an entity belongs to."""
        view = int(np.argmax(self.owners == entity))
        place = int(np.searchsorted(self.starts, view, side="right")) - 1
        views = slice(int(self.starts[place]), int(self.starts[place] + self.counts[place]))
        return ViewBlock(self.vectors[views], self.rows[views], np.array([0]), self.owners[views])


def first_with_same(keys: list[Any]) -> np.ndarray:
    """For each position the first position with an equal key: (n,) int64.

    >>> first_with_same(["Fox", "Den", "Fox"]).tolist()
    [0, 1, 0]
    """
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(key, n) for n, key in enumerate(keys)], dtype=np.int64)
