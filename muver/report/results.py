"""The tables that the page shows: their JSON where it has rows of recall, else their CSV."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.report.places import Places
from muver.report.problems import Problems

ORDER = ("table", "figure")  # how names begin, in the order of the page; the grid comes last
HEAD = ("name", "caption", "dataset", "fingerprint", "cutoffs", "mentions", "worlds", "rows")
ROW = ("method", "system", "row_key", "mentions", "hits", "interval")
LINKED_HEAD = ("name", "caption", "dataset", "fingerprint", "cutoffs", "kb", "sets", "rows")
LINKED_ROW = ("method", "system", "row_key", "sets")


@dataclass(frozen=True)
class Result:
    """A table or figure.

    Attributes
    ----------
    name
        As ``results:`` of params.yaml lists it.
    data
        Its JSON, or None where that cannot be read.
    grid
        Its CSV, a header and rows of texts; empty where that cannot be read.
    """

    name: str
    data: dict[str, Any] | None
    grid: list[list[str]]

    @property
    def caption(self) -> str:
        """Its heading."""
        told = (self.data or {}).get("caption")
        if self.name == "grid" and self.data:
            told = f"validation recall@{self.data.get('cutoff')} in percent"
        if told and str(told).lower().startswith(self.title.lower()):
            return str(told)
        return f"{self.title}: {told}" if told else self.title

    @property
    def title(self) -> str:
        """What the contents of the page call it."""
        spaced = self.name.replace("table", "table ").replace("figure", "figure ")
        return spaced[:1].upper() + spaced[1:]

    @property
    def compares(self) -> bool:
        """Whether it has rows of systems with recall by cutoff."""
        return self._has(HEAD, ROW)

    @property
    def linked(self) -> bool:
        """Whether it has rows of systems with recall by set, over a knowledge base."""
        return self._has(LINKED_HEAD, LINKED_ROW)

    def _has(self, head: Sequence[str], row: Sequence[str]) -> bool:
        return (
            all(key in (self.data or {}) for key in head)
            and bool(self.rows)
            and all(all(key in one for key in row) for one in self.rows)
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of its JSON, those that are objects."""
        rows = (self.data or {}).get("rows")
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def read_results(names: Sequence[str], places: Places, problems: Problems) -> list[Result]:
    """Read what is there of the results named; what is missing or damaged is told."""
    return [_read(name, places, problems) for name in names]


def found_results(places: Places) -> list[str]:
    """Names of the results that lie in the folder: tables, figures, tables of our own, the grid."""

    def place(name: str) -> tuple[bool, int, str]:
        kind = next((n for n, start in enumerate(ORDER) if name.startswith(start)), len(ORDER))
        return name == "grid", kind, name

    found = (path for path in places.results.glob("*.csv") if path.with_suffix(".json").is_file())
    return sorted((path.stem for path in found), key=place)


def _read(name: str, places: Places, problems: Problems) -> Result:
    data = grid = None
    try:
        data = read_json(places.table(name))
        if not isinstance(data, dict):
            raise InputError(f"{places.table(name)}: expected the JSON of a table.")
    except (InputError, OSError, UnicodeDecodeError) as error:
        data = None
        problems.tell(f"{name}: {_without_place(error, places)} Make it again.")
    try:
        with open(places.table(name, ".csv"), encoding="utf-8", newline="") as file:
            grid = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error):
        problems.tell(f"{name}: {places.shown(places.table(name, '.csv'))} cannot be read.")
    result = Result(name, data, grid or [])
    if data is not None:
        problems.held("tables and figures")
        _check_print(result, problems)
    return result


def _check_print(result: Result, problems: Problems) -> None:
    """The CSV is the print of the JSON: both must be of the same rows."""
    if not (result.compares or result.linked) or not result.grid:
        return
    if "row_key" not in result.grid[0]:
        return
    column = result.grid[0].index("row_key")
    printed = {row[column] for row in result.grid[1:] if len(row) > column and row[column]}
    keys = {row["row_key"] for row in result.rows}
    if not printed <= keys:
        problems.tell(
            f"{result.name}: the CSV has rows ({', '.join(sorted(printed - keys))}) that the JSON "
            "does not have: files of different runs. Make the table again; the page shows the JSON."
        )


def _without_place(error: Exception, places: Places) -> str:
    """A message without the folders of this machine."""
    return str(error).replace(f"{places.results}/", "").replace(f"{places.workspace}/", "")
