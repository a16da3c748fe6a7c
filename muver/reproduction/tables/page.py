"""What people read of a result: small tables with headings, the same in every format.

The functions below the types make the sections that several tables share.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import TypeVar

from muver.io.text import counted
from muver.reproduction.tables.numbers import bounds, probability
from muver.reproduction.tables.paper import VERDICTS, paper
from muver.reproduction.tables.records import Part, Published, RecallTable, Row
from muver.retriever.evaluation.precision import in_words
from muver.retriever.evaluation.significance import Paired

Cells = set[tuple[int, int]]  # (row, column)
Labels = dict[str, str]  # the first cells of a line, by column
T = TypeVar("T")
NEAR = paper()["tolerance"]["near"]
RULE = (
    "The half-width is that of the 95% interval of the difference between two equal systems: of "
    "two recalls over as many independent mentions, or of two seeds where the row has several. "
    f"Reproduced: inside, where that is at most {NEAR} points; cannot tell: inside a wider one. "
    f"Near: outside, within {NEAR} points. Both directions count."
)
LETTERS = [a + b for a in ("", *ascii_lowercase) for b in ascii_lowercase]  # of footnotes
# Columns of text, also of the page of a run; all others hold numbers and are aligned right
TEXT_COLUMNS = frozenset(
    ("method", "Domain", "row_key", "row_key (close)", "search", "merging", "verdict", "Model")
    + ("Dataset", "Split", "KB", "World", "Set", "Index", "sentences", "hyper-parameter", "chosen")
    + ("set", "world", "setting", "set to", "stage", "job", "began", "share", "Category")
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
        rivals: dict[str, dict[int, float]] = {}  # numbers by row, of each group
        for n, row in enumerate(rows):
            if row[column]:
                rivals.setdefault(group(row), {})[n] = float(row[column])
        for own in rivals.values():
            best |= {(n, column) for n, number in own.items() if number == max(own.values())}
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


def by_cutoff(
    cutoffs: Sequence[int],
    heading: str,
    note: str,
    lines: Sequence[tuple[Labels, T]],
    cell: Callable[[T, int], str],
) -> Section:
    """A table with a column per cutoff, which ``cell`` fills, after the labels of its lines."""
    header = [*lines[0][0], *(f"R@{k}" for k in cutoffs)]
    filled = [[*labels.values(), *(cell(one, k) for k in cutoffs)] for labels, one in lines]
    return Section(heading, note, header, filled)


def main_section(
    note: str,
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    rows: Sequence[Row],
    best: Cells,
) -> Section:
    """The table itself, with the rows' keys as the last column, and footnotes."""
    keyed = [[*texts, row.row_key] for texts, row in zip(cells, rows, strict=True)]
    return with_footnotes(Section("", note, [*header, "row_key"], keyed, best), rows)


def note_of(table: RecallTable) -> str:
    """What the table measures, why published numbers are missing, and rows not in fp32."""
    if table.kb:
        sizes = "; ".join(
            f"{one.column} {one.mentions} mentions (outside: {one.outside})" for one in table.sets
        )
        said = [
            "In-KB recall: of the mentions whose gold entity is in the knowledge base, with its "
            f"{table.kb.entities} entities as candidates. {sizes}."
        ]
    else:
        (one,) = table.sets
        worlds = one.worlds
        said = [
            f"{counted(one.mentions, 'mention')} of {counted(len(worlds), 'world')} "
            f"({', '.join(worlds)}), candidates ranked within the mention's world, every mention "
            "counting the same."
        ]
        if empty := one.worlds_without_mentions:
            said.append(f"Without mentions, and so without a number: {', '.join(empty)}.")
    methods: dict[str, dict[str, None]] = {}  # each method once, in the table's order
    for row in table.rows:
        if row.precision:
            methods.setdefault(in_words(row.precision), {})[row.method] = None
    reduced = [f"{', '.join(some)} ({precision})" for precision, some in methods.items()]
    said += [table.paper.note or "", f"Not in fp32: {'; '.join(reduced)}." if reduced else ""]
    return " ".join(filter(None, said))


def reference(
    cutoffs: Sequence[int],
    lines: Sequence[tuple[Labels, Part]],
    name: str = "paper",
    heading: str = "Against the paper",
) -> list[Section]:
    """The section of published numbers (of ``paper`` or ``readme``) beside our rows, if any."""
    judged = [(labels, part.published.get(name, {})) for labels, part in lines]
    judged = [line for line in judged if line[1]]
    if not judged:
        return []

    def cell(published: Published, k: int) -> str:
        if k not in published:
            return "-"
        one = published[k]
        return f"{one.recall:.2f} ({one.difference:+z.2f} ± {one.half_width:.2f}, {one.verdict})"

    source = paper()["source" if name == "paper" else f"{name}_source"]
    counts = Counter(one.verdict for _, published in judged for one in published.values())
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    note = (
        f"{source}: the published value, ours minus it in points, and a verdict. {RULE} In all: "
        f"{tally}."
    )
    return [by_cutoff(cutoffs, heading, note, judged, cell)]


def intervals(
    table: RecallTable, cutoffs: Sequence[int], lines: Sequence[tuple[Labels, Part]]
) -> Section:
    """The 95% intervals of recall."""
    heading, note = "How sure the numbers are", f"{table.interval}."
    return by_cutoff(cutoffs, heading, note, lines, lambda part, k: bounds(part.interval.micro[k]))


def mean_of_worlds(
    table: RecallTable, cutoffs: Sequence[int], lines: Sequence[tuple[Labels, Part]]
) -> Section:
    """Macro recall with its interval."""

    def cell(part: Part, k: int) -> str:
        return f"{part.macro[k]:.2f} ({bounds(part.interval.macro[k])})"

    note = f"Macro recall: every world counts the same. In brackets the {table.interval}."
    return by_cutoff(cutoffs, "Mean of worlds", note, lines, cell)


def difference(found: Paired, k: int) -> str:
    """A paired difference with its interval and p-value."""
    sure = bounds(found.interval[k], sign=True)
    return f"{found.difference[k]:+z.2f} ({sure}), {probability(found.p_value[k])}"
