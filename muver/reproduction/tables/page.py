"""A table's page for people: a few small grids with headings, the same in every format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Cells = set[tuple[int, int]]  # (row, column)
TEXT_COLUMNS = frozenset(  # other columns hold numbers, aligned right
    {"method", "Domain", "row_key", "row_key (close)", "search", "merging", "verdict", "Model"}
    | {"Dataset", "Split", "KB", "World", "Set", "Index"}
    | {"sentences", "hyper-parameter", "chosen"}
)


@dataclass(frozen=True)
class Section:
    """A grid with a heading and a note.

    Attributes
    ----------
    rows
        One text per column of ``header``, possibly empty.
    best
        Cells in bold.
    marks, footnotes
        Letters at rows' first cells, and their texts below the grid.
    """

    heading: str
    note: str
    header: list[str]
    rows: list[list[str]]
    best: Cells = field(default_factory=set)
    marks: Mapping[int, str] = field(default_factory=dict)
    footnotes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A table's page; its first section is the table itself."""

    title: str
    sections: list[Section]


def best_cells(
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    group: Callable[[Sequence[str]], str] = lambda row: "",
) -> Cells:
    """Cells with the greatest number of a column; numbers that print the same tie.

    Parameters
    ----------
    columns
        Columns that hold numbers or empty texts.
    group
        Rows of the same group compete; by default all rows do.
    """
    best: Cells = set()
    for column in columns:
        greatest: dict[str, float] = {}
        for row in rows:
            if row[column]:
                rival = greatest.get(group(row), float("-inf"))
                greatest[group(row)] = max(rival, float(row[column]))
        best |= {
            (number, column)
            for number, row in enumerate(rows)
            if row[column] and float(row[column]) == greatest[group(row)]
        }
    return best
