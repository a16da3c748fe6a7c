"""The views of a knowledge base: parts ``part-00000`` and so on, read as one.

Views have numbers across all parts. A part may be any size, and is memory-mapped when it is used.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.parquet import table_of
from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.vectors.block import ViewBlock
from muver.retriever.vectors.part import VIEWS, Part, write_part


class Shard(Part):
    """One part, behind others.

    Attributes
    ----------
    first_view, first_entity
        Numbers across all parts. Each entity has at least one view; a part may have none.
    starts : (entities + 1,) int64
        First view of each entity within the part, then the end.
    """

    def __init__(self, path: Path, first_view: int, first_entity: int):
        super().__init__(path)
        owners = self.rows(columns=["entity"])["entity"].to_numpy()
        if len(owners) and owners[0] != first_entity:
            raise InputError(
                f"{path}: begins with entity {owners[0]}, expected {first_entity}. Encode the "
                "parts that are missing or were changed."
            )
        self.first_view, self.first_entity = first_view, first_entity
        begins = np.flatnonzero(np.diff(owners, prepend=first_entity - 1))
        self.starts = np.append(begins, len(owners))
        self.views, self.entities = len(owners), len(begins)


class Shards:
    """The views of all parts in a folder."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.parts: list[Shard] = []
        self.views = self.entities = 0
        for path in sorted(self.folder.glob("part-*.npy")):
            self.parts.append(Shard(path, self.views, self.entities))
            self.views += self.parts[-1].views
            self.entities += self.parts[-1].entities
        if not self.parts:
            raise InputError(f"{self.folder}: holds no {part_name(0)}. Encode the views first.")
        self.model = self.parts[0].model
        self.dimension: int = self.parts[0].matrix.shape[1]
        self._first_views = np.array([part.first_view for part in self.parts])
        self._first_entities = np.array([part.first_entity for part in self.parts])
        for part in self.parts:
            if part.model != self.model or part.matrix.shape[1] != self.dimension:
                raise InputError(
                    f"{part.path}: vectors of another model than those of {part_name(0)}. Encode "
                    "the part again."
                )

    def blocks(self, memory_mb: int = 256) -> Iterator[ViewBlock]:
        """All views in order, in blocks of at most about ``memory_mb`` MiB of float32 vectors.

        A block never splits an entity's views.
        """
        rows = max(memory_mb * 2**20 // (4 * self.dimension), 1)
        for part in self.parts:
            starts = part.starts
            entity = 0
            while entity < part.entities:
                end = int(np.searchsorted(starts, starts[entity] + rows, side="right")) - 1
                end = max(end, entity + 1)
                first, last = int(starts[entity]), int(starts[end])
                counts = np.diff(starts[entity : end + 1])
                yield ViewBlock(
                    part.matrix[first:last].astype(np.float32),
                    np.arange(part.first_view + first, part.first_view + last),
                    starts[entity:end] - first,
                    np.repeat(np.arange(entity, end) + part.first_entity, counts),
                )
                entity = end

    def gather(self, views: np.ndarray) -> np.ndarray:
        """Vectors of the views with these numbers: (n, d) float32; increasing ones read fastest."""
        vectors = np.empty((len(views), self.dimension), dtype=np.float32)
        for part, chosen in self._by_part(views):
            vectors[chosen] = part.matrix[views[chosen] - part.first_view]
        return vectors

    def locate(self, views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The entity of each view and the view's index within it: (n,) int64 both."""
        entities = np.empty(len(views), dtype=np.int64)
        places = np.empty(len(views), dtype=np.int64)
        for part, chosen in self._by_part(views):
            starts = part.starts
            inside = views[chosen] - part.first_view
            own = np.searchsorted(starts, inside, side="right") - 1
            entities[chosen] = own + part.first_entity
            places[chosen] = inside - starts[own]
        return entities, places

    def spans(self, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first view of each entity, and its number of views: (n,) int64 both."""
        firsts, counts = np.empty((2, len(entities)), dtype=np.int64)
        owners = np.searchsorted(self._first_entities, entities, side="right") - 1
        for number in np.unique(owners):
            part, chosen = self.parts[number], np.flatnonzero(owners == number)
            starts, own = part.starts, entities[chosen] - part.first_entity
            firsts[chosen] = part.first_view + starts[own]
            counts[chosen] = starts[own + 1] - starts[own]
        return firsts, counts

    def sample(self, size: int, seed: int) -> np.ndarray:
        """Sorted numbers of ``size`` views, one from each of ``size`` equal ranges.

        All views if there are no more than ``size``.
        """
        if size >= self.views:
            return np.arange(self.views)
        edges = np.arange(size + 1) * self.views // size
        return edges[:-1] + np.random.default_rng(seed).integers(0, np.diff(edges))

    def _by_part(self, views: np.ndarray) -> Iterator[tuple[Shard, np.ndarray]]:
        if len(views) and not 0 <= views.min() <= views.max() < self.views:
            raise InputError(
                f"{self.folder}: has {self.views} views, asked for number {views.max()}."
            )
        owners = np.searchsorted(self._first_views, views, side="right") - 1
        for number in np.unique(owners):
            yield self.parts[number], np.flatnonzero(owners == number)


def part_name(number: int) -> str:
    """File name of a part's vectors."""
    return f"part-{number:05d}.npy"


def write_shard(
    folder: str | Path,
    number: int,
    vectors: np.ndarray,
    counts: np.ndarray,
    first_entity: int,
    model: str,
) -> None:
    """Write a part of a knowledge base.

    Parameters
    ----------
    vectors : (views, d) float16 or float32
    counts : (entities,)
        Number of views of each entity, at least 1.
    first_entity
        Number of the first entity among all of the knowledge base.
    model
        Fingerprint of the model.
    """
    places = np.arange(len(vectors)) - np.repeat(np.cumsum(counts) - counts, counts)
    columns = (
        pa.array([WIKIPEDIA]).take(pa.array(np.zeros(len(vectors), dtype=np.int8))),
        np.repeat(np.arange(len(counts)) + first_entity, counts),
        places,
        places,
    )
    rows = table_of(VIEWS, columns)
    write_part(Path(folder) / part_name(number), vectors, [rows], {"model": model})
