"""The tables that the page shows: their JSON where it has rows of recall, else their CSV."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.report.files import RunFiles
from muver.report.problems import Problems

# Headings of comparisons of rows, which stand open below a table; the rest is folded away.
OPEN = ("The paper's contrasts", "Paired tests")


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
        if self.name == "grid" and self.data:
            return f"Grid: validation recall@{self.data.get('cutoff')} in percent"
        return caption_of(self.name, self.data or {})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of its JSON, those that are objects."""
        rows = (self.data or {}).get("rows")
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    @property
    def compares(self) -> bool:
        """Whether it has rows of systems with recall by cutoff."""
        return (
            (self.data or {}).get("kind") in ("comparison", "views", "domains")
            and isinstance(self.data.get("sets"), list)
            and bool(self.rows)
            and all(all(key in row for key in ("method", "system", "row_key")) for row in self.rows)
        )

    @property
    def sets(self) -> dict[str, str]:
        """Names of the sets of mentions it has recall on, with the names of their columns."""
        return {one["set"]: one["column"] for one in self.data["sets"]}

    def part(self, row: dict[str, Any], set_name: str) -> dict[str, Any]:
        """What was measured of a row on a set."""
        return row["sets"][set_name] if "sets" in row else row


def title_of(name: str) -> str:
    """A result's name for people.

    >>> title_of("table1"), title_of("beyond")
    ('Table 1', 'Beyond')
    """
    spaced = name.replace("table", "table ").replace("figure", "figure ")
    return spaced[:1].upper() + spaced[1:]


def caption_of(name: str, data: dict[str, Any]) -> str:
    """A result's heading: its title and the caption of its JSON.

    >>> caption_of("figure2", {"caption": "Error rate"})
    'Figure 2: Error rate'
    """
    title, caption = title_of(name), str(data.get("caption") or "")
    if caption.lower().startswith(title.lower()):
        return caption
    return f"{title}: {caption}" if caption else title


def in_order(names: Sequence[str]) -> list[str]:
    """Names of results in the order of a page: tables, figures, comparisons of one's own, the grid.

    >>> in_order(["grid", "beyond", "figure2", "table1"])
    ['table1', 'figure2', 'beyond', 'grid']
    """

    def place(name: str) -> tuple[bool, bool, bool, str]:
        table, figure = name.startswith("table"), name.startswith("figure")
        return name == "grid", not (table or figure), figure, name

    return sorted(names, key=place)


def result_names(results: Path) -> list[str]:
    """Names of the results in a folder."""
    tables = (path for path in results.glob("*.csv") if path.with_suffix(".json").is_file())
    return in_order([path.stem for path in tables])


def read_results(names: Sequence[str], files: RunFiles, problems: Problems) -> list[Result]:
    """Read the results named; a problem for each that is missing or damaged."""
    return [_read(name, files, problems) for name in names]


def _read(name: str, files: RunFiles, problems: Problems) -> Result:
    data, grid = None, []
    try:
        data = read_json(files.table(name))
        if not isinstance(data, dict):
            raise InputError(f"{files.table(name)}: expected the JSON of a table.")
    except (InputError, OSError, UnicodeDecodeError) as error:
        data = None
        problems.add(f"{name}: {files.without_folders(error)} Make it again.")
    try:
        with open(files.table(name, ".csv"), encoding="utf-8", newline="") as file:
            grid = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error):
        problems.add(f"{name}: {files.shown(files.table(name, '.csv'))} cannot be read.")
    result = Result(name, data, grid)
    if data is not None and "kind" not in data:
        problems.add(f"{name}: its JSON is of another version. Make it again.")
    elif data is not None:
        kind = "figure" if name.startswith("figure") else "table"
        problems.passes(kind, f"{kind}s")
        _check_csv(result, problems)
    return result


def _check_csv(result: Result, problems: Problems) -> None:
    """The CSV is the print of the JSON: both must have the same rows."""
    if not result.compares or not result.grid or "row_key" not in result.grid[0]:
        return
    column = result.grid[0].index("row_key")
    printed = {row[column] for row in result.grid[1:] if len(row) > column and row[column]}
    keys = {row["row_key"] for row in result.rows}
    if not printed <= keys:
        problems.add(
            f"{result.name}: the CSV has rows ({', '.join(sorted(printed - keys))}) that the JSON "
            "does not have: files of different runs. Make the table again; the page shows the JSON."
        )
