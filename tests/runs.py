"""Runs of a test's own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.io.parquet import table_of, write_table
from muver.retriever.runs.run import RUN


def write_run(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    """Write a run of these rows, each with the columns of :data:`RUN` in order."""
    write_table(path, table_of(RUN, list(zip(*rows, strict=True)) or [()] * len(RUN)))
    return path
