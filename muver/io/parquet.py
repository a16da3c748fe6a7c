"""Parquet files of a fixed schema: written whole or not at all, and read back."""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.checksums import check
from muver.io.errors import InputError, read_errors
from muver.io.files import atomic_path

T = TypeVar("T")
parquet_errors = partial(read_errors, fault="not a Parquet file, or damaged")
Column = Sequence | np.ndarray | pa.Array


def table_of(schema: pa.Schema, columns: Sequence[Column]) -> pa.Table:
    """A table of this schema; the columns, each (rows,), are in the schema's order."""
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def with_columns(table: pa.Table, columns: Mapping[str, pa.Array]) -> pa.Table:
    """A table with other values in some of its columns."""
    return pa.table([columns.get(name, table[name]) for name in table.column_names], table.schema)


def write_table(path: str | Path, table: pa.Table, **options: Any) -> None:
    with table_writer(path, table.schema, **options) as writer:
        writer.write_table(table)


@contextlib.contextmanager
def table_writer(path: str | Path, schema: pa.Schema, **options: Any) -> Iterator[pq.ParquetWriter]:
    """Write a Parquet file piece by piece, with pyarrow's ``options``; it gets its name once
    everything is written.
    """
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema, **options) as writer:
        yield writer


def batches(
    path: str | Path, rows: int, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """A file's rows, or some of their columns, at most so many at a time; memory holds these."""
    with pq.ParquetFile(path, pre_buffer=False) as file:  # else pyarrow holds all that was read
        yield from file.iter_batches(rows, columns=columns)


def row_groups(
    rows: Iterable[T], characters: Callable[[T], int], most_rows: int, most_characters: int
) -> Iterator[list[T]]:
    """Rows in groups that are limited in rows and in characters."""
    group: list[T] = []
    held = 0
    for row in rows:
        group.append(row)
        held += characters(row)
        if len(group) >= most_rows or held >= most_characters:
            yield group
            group, held = [], 0
    if group:
        yield group


def read_table(
    path: str | Path,
    schema: pa.Schema,
    kind: str,
    stage: str,
    columns: Sequence[str] | None = None,
    **among: Collection[str] | None,
) -> pa.Table:
    """Read a table that must have this schema; its metadata may differ.

    Errors call the file ``kind``, with its article, and name the ``stage`` that makes it.
    Rows are those whose columns named in ``among`` have one of the values, or any where it is None.
    """
    check([Path(path)])
    with parquet_errors(path, f"Run the {stage} stage that makes it."):
        written = pq.read_schema(path)
        if not written.equals(schema):
            raise InputError(
                f"{path}: has the columns {', '.join(written.names)}, {kind} has "
                f"{', '.join(schema.names)}. Run the {stage} stage again, with this version."
            )
        wanted = [(name, "in", values) for name, values in among.items() if values is not None]
        return pq.read_table(path, columns=columns, filters=wanted or None, partitioning=None)
