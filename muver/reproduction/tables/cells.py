"""What people read of a result: small tables with headings, the same in every format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import NamedTuple

from muver.io.text import percent
from muver.reproduction.tables.records import Line, Published, Row, Table, TableRow

Cell = tuple[int, int]  # (row, column)
KEY = "row_key"  # columns that start with this lead to runs
LETTERS = [a + b for a in ("", *ascii_lowercase) for b in ascii_lowercase]  # of footnotes
# Columns of text, also of the page of a run; all others hold numbers and are aligned right
TEXT_COLUMNS = frozenset(
    ("method", "Domain", "row_key", "row_key (close)", "search", "merging", "verdict", "Model")
    + ("Dataset", "Split", "KB", "World", "Set", "Index", "sentences", "hyper-parameter", "chosen")
    + ("set", "world", "setting", "set to", "stage", "job", "began", "share", "Category")
)


class Source(NamedTuple):
    """What a cell was read off: a line, and what was published of it."""

    line: Line
    published: Mapping[str, Published]  # by source


class Place(NamedTuple):
    """A line of a page: a row on a set, or in a world or a category of it."""

    labels: dict[str, str]  # the first cells, by the titles of their columns
    row: TableRow
    set: str
    world: str = ""
    category: str = ""

    def line(self, table: Table, k: int, key: str = "") -> Line:
        """Its line of the long table at a cutoff: of the row's own seed, or of one with a key."""
        return table.line(key or self.row.row_key, k, self.set, self.world, self.category)


@dataclass(frozen=True)
class Section:
    """A table with a heading and a note."""

    heading: str
    note: str
    header: list[str]
    rows: list[list[str]]  # one text per column, possibly empty
    best: set[Cell] = field(default_factory=set)  # in bold
    marks: Mapping[int, str] = field(default_factory=dict)  # letters at rows' first cells
    footnotes: Mapping[str, str] = field(default_factory=dict)  # their texts, below the table
    sources: Mapping[Cell, Source] = field(default_factory=dict)  # of recall

    @classmethod
    def of(
        cls, heading: str, note: str, lines: Sequence[Mapping[str, str]], best: Iterable[Cell] = ()
    ) -> "Section":
        """A table of lines that all have the same columns, by their titles."""
        header = [*lines[0]] if lines else []
        return cls(heading, note, header, [[*line.values()] for line in lines], {*best})

    @classmethod
    def at(
        cls, heading: str, note: str, table: Table, places: Sequence[Place],
        cell: Callable[[Line], str],
    ) -> "Section":  # fmt: skip
        """What ``cell`` says of a table's lines at each place and cutoff."""
        lines = [
            place.labels | {f"R@{k}": cell(place.line(table, k)) for k in table.cutoffs}
            for place in places
        ]
        return cls.of(heading, note, lines)

    @property
    def numbers(self) -> list[bool]:
        """Whether each column holds numbers, which are aligned right."""
        return [name not in TEXT_COLUMNS for name in self.header]

    @property
    def keys(self) -> list[int]:
        """The columns that lead to runs."""
        return [n for n, name in enumerate(self.header) if name.startswith(KEY)]

    def only(self, columns: Sequence[int]) -> "Section":
        """The same with these columns alone, in this order."""
        return replace(
            self,
            header=[self.header[n] for n in columns],
            rows=[[cells[n] for n in columns] for cells in self.rows],
            best={(row, columns.index(n)) for row, n in self.best if n in columns},
            sources={},
        )


@dataclass(frozen=True)
class Page:
    """A result for people; the first section is the table itself."""

    title: str
    sections: list[Section]

    @classmethod
    def of(cls, title: str, main: Section, *further: Section) -> "Page":
        """The table itself, and what else has lines."""
        return cls(title, [main, *(section for section in further if section.rows)])


def main_section(
    table: Table, note: str, lines: Sequence[Mapping[str, Line | str]], group: Sequence[str]
) -> Section:
    """A table itself with footnotes.

    The best recall of each column is bold among the lines of the same ``group``, a text a line.
    """
    sources = {
        (n, column): Source(cell, table.judged(cell))
        for n, line in enumerate(lines)
        for column, cell in enumerate(line.values())
        if isinstance(cell, Line)
    }
    rows = [[text_of(cell) for cell in line.values()] for line in lines]
    best = best_cells({(row, column): rows[row][column] for row, column in sources}, group)
    marks, notes = footnotes(rows, table.rows)
    return Section("", note, [*lines[0]], rows, best, marks, notes, sources)


def best_cells(recall: Mapping[Cell, str], group: Sequence[str]) -> set[Cell]:
    """Cells with the greatest number of their column in their row's group.

    Numbers that print the same tie.
    """
    rivals: dict[tuple[int, str], dict[Cell, float]] = {}
    for (row, column), text in recall.items():
        rivals.setdefault((column, group[row]), {})[row, column] = float(text)
    return {
        cell
        for numbers in rivals.values()
        for cell, number in numbers.items()
        if number == max(numbers.values())
    }


def footnotes(
    lines: Sequence[Sequence[str]], rows: Sequence[Row]
) -> tuple[dict[int, str], dict[str, str]]:
    """The letters of lines, which begin with a method, and by letter the notes of ``rows``.

    Equal notes share a letter. The cells, and so the CSV, keep the bare names.
    """
    notes = {row.method: row.note for row in rows if row.note}
    letters = dict(zip(dict.fromkeys(notes.values()), LETTERS, strict=False))
    marks = {n: letters[notes[cells[0]]] for n, cells in enumerate(lines) if cells[0] in notes}
    return marks, {letter: note for note, letter in letters.items() if letter in marks.values()}


def text_of(cell: Line | str) -> str:
    """Recall in percent with two decimals, or a text as it is."""
    if not isinstance(cell, Line):
        return cell
    if cell.hits is None:
        return f"{cell.recall:.2f}"
    return percent(cell.hits, cell.mentions)


def cells_by_world(table: Table, key: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The mentions and recall of a row's key by world, or over a knowledge base by set."""
    for name, lines in table.by_world(key).items():
        recall = {f"R@{line.k}": text_of(line) for line in lines}
        yield name, {"mentions": str(lines[0].mentions), **recall}
