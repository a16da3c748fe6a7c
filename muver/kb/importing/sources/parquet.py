"""Parquet tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.kb.importing.columns import entities_of
from muver.kb.importing.items import Entity
from muver.kb.importing.settings import Given

ROWS = 1000  # read at once


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read a table, some rows at a time."""
    return entities_of(_rows(path), path, given)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from None
