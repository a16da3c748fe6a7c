"""The tables that the page shows: their JSON where it has rows of recall, else their CSV."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from muver.io.errors import InputError
from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.problems import Problems
from muver.reproduction.tables.records import AnyResult, RecallTable, read_result

# Headings of comparisons of rows, which stand open below a table; the rest is folded away.
OPEN = ("The paper's contrasts", "Paired tests")


@dataclass(frozen=True)
class Result:
    """A table or figure.

    Attributes
    ----------
    name
        As ``results:`` of params.yaml lists it.
    table
        Its JSON, or None where that cannot be read.
    grid
        Its CSV, a header and rows of texts; empty where that cannot be read.
    """

    name: str
    table: AnyResult | None
    grid: list[list[str]]

    @property
    def caption(self) -> str:
        """Its heading."""
        return caption_of(self.name, self.table.caption if self.table else "")

    @property
    def compared(self) -> RecallTable | None:
        """Its JSON, if its rows are systems with recall by cutoff."""
        return self.table if isinstance(self.table, RecallTable) else None


def title_of(name: str) -> str:
    """A result's name for people.

    >>> title_of("table1"), title_of("beyond")
    ('Table 1', 'Beyond')
    """
    spaced = name.replace("table", "table ").replace("figure", "figure ")
    return spaced[:1].upper() + spaced[1:]


def caption_of(name: str, caption: str) -> str:
    """A result's heading: its title and the caption of its JSON.

    >>> caption_of("figure2", "Error rate")
    'Figure 2: Error rate'
    """
    title = title_of(name)
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
    table, grid = None, []
    try:
        table = read_result(files.table(name))
    except InputError as error:
        problems.add(f"{name}: {files.without_folders(error)}")
    try:
        with open(files.table(name, ".csv"), encoding="utf-8", newline="") as file:
            grid = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error):
        problems.add(f"{name}: {files.shown(files.table(name, '.csv'))} cannot be read.")
    result = Result(name, table, grid)
    if table is not None:
        kind = "figure" if name.startswith("figure") else "table"
        problems.passes(kind, f"{kind}s")
        _check_csv(result, problems)
    return result


def _check_csv(result: Result, problems: Problems) -> None:
    """The CSV is the print of the JSON: both must have the same rows."""
    if not result.compared or not result.grid or "row_key" not in result.grid[0]:
        return
    column = result.grid[0].index("row_key")
    printed = {row[column] for row in result.grid[1:] if len(row) > column and row[column]}
    keys = {row.row_key for row in result.compared.rows}
    if not printed <= keys:
        problems.add(
            f"{result.name}: the CSV has rows ({', '.join(sorted(printed - keys))}) that the JSON "
            "does not have: files of different runs. Make the table again; the page shows the JSON."
        )
