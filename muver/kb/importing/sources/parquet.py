"""Parquet tables."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.kb.importing.columns import entity_of, find_columns
from muver.kb.importing.items import Entity
from muver.kb.importing.settings import Given

ROWS = 1000  # read at once


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read a table, some rows at a time."""
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            columns = find_columns(names, given.columns, str(path))
            number = 0
            for batch in file.iter_batches(ROWS):
                for row in batch.to_pylist():
                    number += 1
                    yield entity_of(row, columns, given, path, f"row {number}")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from None
