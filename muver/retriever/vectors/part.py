"""A part holds vectors and says what each is of: a matrix NAME.npy beside a table NAME.parquet.

A view's row names its world, its entity, its first and last sentence, and its token ids where
views are merged from it. A mention's row names its world and its id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from muver.io.checksums import check
from muver.io.matrices import load_matrix, save_matrix
from muver.io.parquet import parquet_errors, table_writer
from muver.retriever.views.layout import View

VIEWS = pa.schema(
    [
        ("world", pa.string()),
        ("entity", pa.int32()),
        ("first", pa.int32()),
        ("last", pa.int32()),
    ]
)
WITH_IDS = VIEWS.append(pa.field("ids", pa.list_(pa.int32())))
MENTIONS = pa.schema([("world", pa.string()), ("mention_id", pa.string())])
REMEDY = "Run the stage that makes it again."


@dataclass(frozen=True)
class Layer:
    """The views of one world."""

    vectors: np.ndarray  # (views, d) float32, memory-mapped
    entities: np.ndarray  # (views,) entity (line number) of each view
    first: np.ndarray  # (views,) its first and last sentence
    last: np.ndarray
    ids: pa.ChunkedArray  # (views,) list<int32>

    @property
    def views(self) -> list[View]:
        """The same views, as they were laid out."""
        columns = (self.ids.to_pylist(), self.first.tolist(), self.last.tolist())
        return list(map(View, *columns))


class Part:
    """A part on disk; ``path`` is its matrix."""

    def __init__(self, path: str | Path):
        self.path, self._table = Path(path), Path(path).with_suffix(".parquet")
        check([self._table])
        with parquet_errors(self._table, REMEDY):
            metadata = pq.read_schema(self._table).metadata or {}
        self.dimension: int = self.matrix.shape[-1]
        # The fingerprint of the model that made the vectors, where it was written.
        self.model: str | None = metadata.get(b"model", b"").decode() or None

    @property
    def matrix(self) -> np.ndarray:
        """(rows, d), mapped anew, so that pages read before need not stay in memory."""
        return load_matrix(self.path, REMEDY)

    def rows(self, world: str | None = None, columns: Sequence[str] | None = None) -> pa.Table:
        """What the vectors are of, of one world or of all."""
        filters = None if world is None else [("world", "==", world)]
        with parquet_errors(self._table, REMEDY):
            return pq.read_table(self._table, columns=columns, filters=filters, partitioning=None)

    @cached_property
    def spans(self) -> dict[str, slice]:
        """The rows of each world, in their order."""
        runs = pc.run_end_encode(self.rows(columns=["world"])["world"].combine_chunks())
        bounds = pairwise([0, *runs.run_ends.to_pylist()])
        worlds = runs.values.to_pylist()
        return {world: slice(*rows) for world, rows in zip(worlds, bounds, strict=True)}

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds, in the order of their rows."""
        return list(self.spans)

    def vectors(self, world: str) -> np.ndarray:
        """(rows, d) the vectors of one world; none if it has no rows here."""
        return self.matrix[self.spans.get(world, slice(0, 0))]

    def world(self, name: str) -> Layer:
        """One world's views; empty arrays if it has none here."""
        rows = self.rows(name)
        columns = (rows[column].to_numpy() for column in ("entity", "first", "last"))
        return Layer(self.vectors(name), *columns, rows["ids"])


def layer_path(folder: str | Path, number: int) -> Path:
    """Where a layer lies: 0 holds the original views, n those that the n-th merging added."""
    return Path(folder) / f"layer{number}.npy"


def open_layer(folder: str | Path, number: int) -> Part:
    """A layer of a folder (:func:`layer_path`)."""
    return Part(layer_path(folder, number))


def view_rows(world: str, entities: Sequence[int], views: Sequence[View]) -> pa.Table:
    """What the vectors of a world's views are of."""
    columns = {
        "world": [world] * len(views),
        "entity": list(entities),
        "first": [view.first for view in views],
        "last": [view.last for view in views],
        "ids": [view.ids for view in views],
    }
    return pa.table(columns, schema=WITH_IDS)


def write_part(
    path: str | Path,
    worlds: Sequence[tuple[pa.Table, np.ndarray]],
    made_by: Mapping[str, str] | None = None,
) -> None:
    """Write a part from what its vectors are of, world by world, and these, (rows, d) each.

    Each table becomes a row group, so that a world of its own is read alone. ``made_by`` is the
    fingerprint of the ``model``, for a set of mentions or a knowledge base.
    """
    tables, vectors = zip(*worlds, strict=True)
    save_matrix(path, np.concatenate(vectors) if vectors[1:] else vectors[0])
    schema = tables[0].schema.with_metadata(made_by)
    with table_writer(Path(path).with_suffix(".parquet"), schema) as writer:
        for table in tables:
            writer.write_table(table.replace_schema_metadata(made_by))
