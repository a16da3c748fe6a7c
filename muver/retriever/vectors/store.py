"""The view store: each layer's vectors on disk, with the entities and spans of the views.

Layer 0 holds the original views, layer n the views that the n-th layer of merging added. A layer is
a memory-mapped matrix and a Parquet table with the world, entity, span and ids of each row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.io.matrices import load_matrix, save_matrix
from muver.io.parquet import table_writer
from muver.retriever.views.layout import View
from muver.retriever.views.slices import entity_slices

ROWS = pa.schema(
    [
        ("world", pa.string()),
        ("entity", pa.int32()),
        ("first", pa.int32()),
        ("last", pa.int32()),
        ("ids", pa.list_(pa.int32())),
    ]
)


def layer_files(folder: str | Path, layer: int) -> tuple[Path, Path]:
    """Paths of a layer's matrix and table."""
    return Path(folder) / f"layer{layer}.npy", Path(folder) / f"layer{layer}.parquet"


@dataclass(frozen=True)
class Layer:
    """One layer of one world.

    Attributes
    ----------
    vectors : (views, d) float32, memory-mapped
    entities, first, last : (views,) int32
        Entity (line number) of each view, and its first and last sentence.
    ids : (views,) list<int32>
    """

    vectors: np.ndarray
    entities: np.ndarray
    first: np.ndarray
    last: np.ndarray
    ids: pa.ChunkedArray

    def in_sentences(self, owners: Sequence[int], views: Sequence[View]) -> list[View]:
        """Turn spans over an entity's views in this layer into spans over its sentences.

        ``owners`` are the entities of ``views``.
        """
        starts = {int(self.entities[own.start]): own.start for own in entity_slices(self.entities)}
        return [
            View(
                view.ids,
                int(self.first[starts[owner] + view.first]),
                int(self.last[starts[owner] + view.last]),
            )
            for owner, view in zip(owners, views, strict=True)
        ]


class ViewStore:
    """Reads the layers of one model's store."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def layer(self, number: int) -> "LayerFile":
        """Open a layer, which consists of two files that must fit."""
        return LayerFile(*layer_files(self.folder, number))

    def fingerprint(self) -> str:
        """SHA-256 of the original views' vectors, by which further views name their store."""
        return sha256_of(layer_files(self.folder, 0)[0])


class LayerFile:
    """A layer on disk, read one world at a time."""

    def __init__(self, matrix: Path, table: Path):
        remedy = "Run the stage that makes it first."
        self.matrix = load_matrix(matrix, remedy)
        if not table.is_file():
            raise InputError(f"{table}: no such file. {remedy}")
        self._table = table
        worlds = pq.read_table(table, columns=["world"])["world"].to_pylist()
        if len(worlds) != len(self.matrix):
            raise InputError(
                f"{table} has {len(worlds)} rows, {matrix} has {len(self.matrix)}: they belong to "
                "different runs. Remove both and run the stage again."
            )
        self._spans = {world: (start, stop) for world, start, stop in _runs(worlds)}

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds, in the store's order."""
        return list(self._spans)

    def world(self, name: str) -> Layer:
        """Load one world's rows; empty arrays if it has no views in this layer."""
        start, stop = self._spans.get(name, (0, 0))
        rows = pq.read_table(self._table, filters=[("world", "==", name)])
        return Layer(
            vectors=self.matrix[start:stop],
            entities=rows["entity"].to_numpy(),
            first=rows["first"].to_numpy(),
            last=rows["last"].to_numpy(),
            ids=rows["ids"],
        )

    def all_worlds(self) -> Iterator[tuple[str, Layer]]:
        for name in self.worlds:
            yield name, self.world(name)


class LayerWriter:
    """Collects the worlds of a layer, then writes both of its files."""

    def __init__(self) -> None:
        self._tables: list[pa.Table] = []
        self._vectors: list[np.ndarray] = []

    def add(
        self, world: str, entities: Sequence[int], views: Sequence[View], vectors: np.ndarray
    ) -> None:
        """Append a world's views; the store keeps this order of worlds."""
        columns = {
            "world": [world] * len(views),
            "entity": list(entities),
            "first": [view.first for view in views],
            "last": [view.last for view in views],
            "ids": [view.ids for view in views],
        }
        self._tables.append(pa.table(columns, schema=ROWS))
        self._vectors.append(vectors)

    def write(self, folder: str | Path, layer: int) -> None:
        matrix, table = layer_files(folder, layer)
        save_matrix(matrix, np.concatenate(self._vectors))
        with table_writer(table, ROWS) as writer:
            for rows in self._tables:  # one row group per world, so that a world can be read alone
                writer.write_table(rows)


def _runs(values: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    start = 0
    for position in range(1, len(values) + 1):
        if position == len(values) or values[position] != values[start]:
            yield values[start], start, position
            start = position
