"""The list of a table's runs: a CSV file that ``muver record`` writes and others read."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from muver.io.files import write_text


class Listed(NamedTuple):
    """A line: the run of a row key, its address below the server's, and the store it is in."""

    row_key: str
    method: str
    run_id: str
    experiment_id: str
    address: str
    store: str


def write_list(path: Path, lines: Iterable[Listed]) -> None:
    """Write the runs of a table in the order of its rows."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([Listed._fields, *lines])
    write_text(path, text.getvalue())


def read_list(path: Path) -> list[dict[str, str]]:
    """The lines of a list by the names of :class:`Listed`; empty if there is no such file."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
