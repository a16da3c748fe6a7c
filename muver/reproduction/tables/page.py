"""What people read of a result: a few small tables with headings, the same in every format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase

from muver.reproduction.tables.records import Row

Cells = set[tuple[int, int]]  # (row, column)
TEXT_COLUMNS = frozenset(  # other columns hold numbers and are aligned right
    {"method", "Domain", "row_key", "row_key (close)", "search", "merging", "verdict", "Model"}
    | {"Dataset", "Split", "KB", "World", "Set", "Index"}
    | {"sentences", "hyper-parameter", "chosen"}
    | {
        "set",
        "world",
        "setting",
        "set to",
        "stage",
        "job",
        "began",
        "share",
    }  # of the page of a run
)


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
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    group: Callable[[Sequence[str]], str] = lambda row: "",
) -> Cells:
    """Cells with the greatest number of a column; numbers that print the same tie.

    The columns hold numbers or empty texts. Rows of the same group compete, by default all.
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


def with_footnotes(section: Section, rows: Sequence[Row]) -> Section:
    """Put the notes of ``rows`` below a table of methods; equal notes share a letter.

    The cells, and so the CSV, keep the bare names.
    """
    notes = {row.method: row.note for row in rows if row.note}
    letters = dict(zip(dict.fromkeys(notes.values()), ascii_lowercase, strict=False))
    marks = {
        line: letters[notes[cells[0]]]
        for line, cells in enumerate(section.rows)
        if cells[0] in notes
    }
    footnotes = {letter: note for note, letter in letters.items() if letter in marks.values()}
    return replace(section, marks=marks, footnotes=footnotes)
