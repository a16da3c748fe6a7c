"""What people read of a result: small tables with headings, the same in every format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import NamedTuple, TypeVar

from muver.io.text import percent
from muver.reproduction.tables.records import Line, Published, Row, Table, TableRow

Cells = set[tuple[int, int]]  # (row, column)
Labels = dict[str, str]  # the first cells of a line, by column
T = TypeVar("T")
LETTERS = [a + b for a in ("", *ascii_lowercase) for b in ascii_lowercase]  # of footnotes
# Columns of text, also of the page of a run; all others hold numbers and are aligned right
TEXT_COLUMNS = frozenset(
    ("method", "Domain", "row_key", "row_key (close)", "search", "merging", "verdict", "Model")
    + ("Dataset", "Split", "KB", "World", "Set", "Index", "sentences", "hyper-parameter", "chosen")
    + ("set", "world", "setting", "set to", "stage", "job", "began", "share", "Category")
)


class Place(NamedTuple):
    """A line of a page: a row on a set, or in a world or a category of it."""

    labels: Labels
    row: TableRow
    set: str
    world: str = ""
    category: str = ""


class Column(NamedTuple):
    """A column of numbers: which of a row's lines it has at a place."""

    title: str
    k: int
    set: str = ""  # the place's if empty, as the world
    world: str = ""

    def line(self, table: Table, place: Place, key: str = "") -> Line | None:
        """The line of the row's own seed, or of the one with a key."""
        where = self.set or place.set, self.world or place.world, place.category
        return table.line(key or place.row.row_key, self.k, *where)


class Source(NamedTuple):
    """What a cell was read off: a line, and what was published of it."""

    line: Line
    published: list[Published]


@dataclass(frozen=True)
class Section:
    """A table with a heading and a note."""

    heading: str
    note: str
    header: list[str]
    rows: list[list[str]]  # one text per column, possibly empty
    best: Cells = field(default_factory=set)  # in bold
    marks: Mapping[int, str] = field(default_factory=dict)  # letters at rows' first cells
    footnotes: Mapping[str, str] = field(default_factory=dict)  # their texts, below the table
    sources: Mapping[tuple[int, int], Source] = field(default_factory=dict)  # of recall, by cell

    @property
    def numbers(self) -> list[bool]:
        """Whether each column holds numbers, which are aligned right."""
        return [name not in TEXT_COLUMNS for name in self.header]


@dataclass(frozen=True)
class Page:
    """A result for people; the first section is the table itself."""

    title: str
    sections: list[Section]


def best_cells(
    rows: Sequence[Sequence[str]], columns: Sequence[int], group: Sequence[str] | None = None
) -> Cells:
    """Cells with the greatest number of a column; numbers that print the same tie.

    The columns hold numbers or empty texts. Rows of the same ``group``, a text a row, compete; by
    default all.
    """
    best: Cells = set()
    for column in columns:
        rivals: dict[str, dict[int, float]] = {}  # numbers by row, of each group
        for n, row in enumerate(rows):
            if row[column]:
                rivals.setdefault(group[n] if group else "", {})[n] = float(row[column])
        for numbers in rivals.values():
            greatest = max(numbers.values())
            best |= {(n, column) for n, number in numbers.items() if number == greatest}
    return best


def with_footnotes(section: Section, rows: Sequence[Row]) -> Section:
    """Put the notes of ``rows`` below a table of methods; equal notes share a letter.

    The cells, and so the CSV, keep the bare names.
    """
    notes = {row.method: row.note for row in rows if row.note}
    letters = dict(zip(dict.fromkeys(notes.values()), LETTERS, strict=False))
    marks = {
        line: letters[notes[cells[0]]]
        for line, cells in enumerate(section.rows)
        if cells[0] in notes
    }
    footnotes = {letter: note for note, letter in letters.items() if letter in marks.values()}
    return replace(section, marks=marks, footnotes=footnotes)


def pivot(
    heading: str,
    note: str,
    lines: Sequence[tuple[Labels, T]],
    columns: Sequence[Column],
    cell: Callable[[T, Column], str],
) -> list[Section]:
    """A table, if it has lines: their labels, and under each column what ``cell`` makes of them."""
    if not lines:
        return []
    header = [*lines[0][0], *(column.title for column in columns)]
    filled = [
        [*labels.values(), *(cell(content, column) for column in columns)]
        for labels, content in lines
    ]
    return [Section(heading, note, header, filled)]


class Layout(NamedTuple):
    """A table with the lines and columns in which people read it."""

    table: Table
    places: Sequence[Place]
    columns: Sequence[Column]

    def section(self, heading: str, note: str, cell: Callable[[Line], str]) -> list[Section]:
        """A section of what ``cell`` says of the table's lines."""

        def told(place: Place, column: Column) -> str:
            line = column.line(self.table, place)
            return cell(line) if line else ""

        return pivot(heading, note, labelled(self.places), self.columns, told)


def labelled(places: Sequence[Place]) -> list[tuple[Labels, Place]]:
    """Places as the lines of a section."""
    return [(place.labels, place) for place in places]


def main_section(
    table: Table,
    note: str,
    header: Sequence[str],
    grid: Sequence[Sequence[Line | str | None]],
    group: Sequence[str] | None = None,
) -> Section:
    """A table itself with footnotes; the best of each column of lines is bold in its group."""
    cells = [[text_of(cell) for cell in line] for line in grid]
    sources = {
        (n, column): Source(cell, table.judged(cell))
        for n, line in enumerate(grid)
        for column, cell in enumerate(line)
        if isinstance(cell, Line)
    }
    best = best_cells(cells, sorted({column for _, column in sources}), group)
    return with_footnotes(Section("", note, [*header], cells, best, sources=sources), table.rows)


def text_of(cell: Line | str | None) -> str:
    """Recall in percent with two decimals, or a text as it is; "" for nothing."""
    if not isinstance(cell, Line):
        return cell or ""
    if cell.hits is None:
        return f"{cell.recall:.2f}"
    return percent(cell.hits, cell.mentions)
