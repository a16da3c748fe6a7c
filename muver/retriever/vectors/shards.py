"""The views of a knowledge base: parts ``part-00000`` and so on, read as one.

Views have numbers across all parts. A part may be any size, and is memory-mapped when it is used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.parquet import table_of
from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.vectors.part import VIEWS, Part, write_part


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

    @classmethod
    def of(
        cls, parts: Sequence[np.ndarray], entities: np.ndarray, candidate_of: np.ndarray
    ) -> "ViewBlock":
        """Order a world's views by candidate, in one copy.

        The vectors come in consecutive ``parts``, (some views, d) each; ``entities``, (views,), are
        line numbers. ``candidate_of``, (entities of the world,), is the candidate of each, by the
        line number of its first entity (:func:`first_with_same` of titles, or of line numbers).
        """
        rows, starts = side_by_side(candidate_of[entities])
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


def side_by_side(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order that puts equal numbers, (n,) from 0 on, next to each other, smallest first and
    otherwise as they are: (n,) int64; and where each of the different ones begins in it.

    >>> [found.tolist() for found in side_by_side(np.array([7, 2, 7]))]
    [[1, 0, 2], [0, 1]]
    """
    order = np.argsort(numbers, kind="stable")
    return order, np.flatnonzero(np.diff(numbers[order], prepend=-1))


def first_with_same(keys: list[Any]) -> np.ndarray:
    """For each position the first position with an equal key: (n,) int64.

    >>> first_with_same(["Fox", "Den", "Fox"]).tolist()
    [0, 1, 0]
    """
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(key, n) for n, key in enumerate(keys)], dtype=np.int64)


class Shards:
    """The views of all parts in a folder.

    It has so many ``views`` and ``entities``; each entity has at least one view, a part may have
    none. The ``model`` is the fingerprint of the one that made the vectors.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self._parts = [Part(path) for path in sorted(self.folder.glob("part-*.npy"))]
        if not self._parts:
            raise InputError(f"{self.folder}: holds no {part_name(0)}. Encode the views first.")
        self.dimension, self.model = self._parts[0].dimension, self._parts[0].model
        begins: list[np.ndarray] = []  # first view of each entity, by part
        first_views = [0]
        for part in self._parts:
            owners = part.rows(columns=["entity"])["entity"].to_numpy()
            begins.append(first_views[-1] + np.flatnonzero(np.diff(owners, prepend=-1)))
            first_views.append(first_views[-1] + len(owners))
        self._first_views = np.array(first_views)
        self._first_entities = np.cumsum([0, *map(len, begins)])
        self.views, self.entities = first_views[-1], int(self._first_entities[-1])
        self._starts = np.concatenate([*begins, first_views[-1:]])

    def blocks(self, memory_mb: int = 256) -> Iterator[ViewBlock]:
        """All views in order, in blocks of at most about ``memory_mb`` MiB of float32 vectors.

        A block never splits an entity's views.
        """
        rows = max(memory_mb * 2**20 // (4 * self.dimension), 1)
        starts = self._starts
        bounds = zip(
            self._parts, self._first_views[:-1], pairwise(self._first_entities), strict=True
        )
        for part, first_view, (entity, stop) in bounds:
            while entity < stop:
                end = int(np.searchsorted(starts, starts[entity] + rows, side="right")) - 1
                end = min(max(end, entity + 1), stop)
                first, last = starts[entity], starts[end]
                yield ViewBlock(
                    part.matrix[first - first_view : last - first_view].astype(np.float32),
                    np.arange(first, last),
                    starts[entity:end] - first,
                    np.repeat(np.arange(entity, end), np.diff(starts[entity : end + 1])),
                )
                entity = end

    def gather(self, views: np.ndarray) -> np.ndarray:
        """Vectors of the views with these numbers: (n, d) float32; increasing ones read fastest."""
        vectors = np.empty((len(views), self.dimension), dtype=np.float32)
        owners = np.searchsorted(self._first_views, views, side="right") - 1
        for number in np.unique(owners):
            inside = owners == number
            vectors[inside] = self._parts[number].matrix[views[inside] - self._first_views[number]]
        return vectors

    def locate(self, views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The entity of each view and the view's index within it: (n,) int64 both."""
        entities = np.searchsorted(self._starts, views, side="right") - 1
        return entities, views - self._starts[entities]

    def spans(self, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first view of each entity, and its number of views: (n,) int64 both."""
        return self._starts[entities], self._starts[entities + 1] - self._starts[entities]

    def sample(self, size: int, seed: int) -> np.ndarray:
        """Sorted numbers of ``size`` views, one from each of ``size`` equal ranges.

        All views if there are no more than ``size``.
        """
        if size >= self.views:
            return np.arange(self.views)
        edges = np.arange(size + 1) * self.views // size
        return edges[:-1] + np.random.default_rng(seed).integers(0, np.diff(edges))


def part_name(number: int) -> str:
    return f"part-{number:05d}.npy"


def write_shard(
    folder: str | Path,
    number: int,
    vectors: np.ndarray,
    counts: np.ndarray,
    first_entity: int,
    model: str,
) -> None:
    """Write a part of a knowledge base: (views, d) vectors, float16 or float32, entity by entity.

    ``counts``, (entities,), are each entity's views, at least 1; ``first_entity`` is the number of
    the first among all of the knowledge base, ``model`` a fingerprint.
    """
    places = np.arange(len(vectors)) - np.repeat(np.cumsum(counts) - counts, counts)
    entities = np.repeat(np.arange(len(counts)) + first_entity, counts)
    rows = table_of(VIEWS, (pa.repeat(WIKIPEDIA, len(vectors)), entities, places, places))
    write_part(Path(folder) / part_name(number), [(rows, vectors)], {"model": model})
