"""Parquet files of a fixed schema: written from columns, whole or not at all, and read back."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from muver.errors import InputError
from muver.files import atomic_path

Column = Sequence | np.ndarray | pa.Array


def table_of(schema: pa.Schema, columns: Sequence[Column]) -> pa.Table:
    """A table of this schema from its columns, in the schema's order and all (rows,)."""
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def write(path: str | Path, table: pa.Table) -> None:
    """Write a table."""
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def read(path: str | Path, schema: pa.Schema, kind: str, stage: str) -> pa.Table:
    """Read a table that must have this schema; metadata may differ.

    Parameters
    ----------
    kind
        What the file is, with its article.
    stage
        The stage that makes it.

    Raises
    ------
    InputError
        For a file that is missing, damaged or has other columns.
    """
    try:
        table = pq.read_table(path, partitioning=None)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Run the {stage} stage that makes it.") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from None
    if not table.schema.equals(schema):
        raise InputError(
            f"{path}: has the columns {', '.join(table.column_names)}, {kind} has "
            f"{', '.join(schema.names)}. Run the {stage} stage again, with this version."
        )
    return table
