"""Sections that several tables share: a line per row and set, a column per cutoff."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from muver.reproduction.tables.numbers import bounds, probability
from muver.reproduction.tables.page import Cells, Section, with_footnotes
from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.records import Part, Published, RecallTable, Row
from muver.reproduction.tables.verdict import VERDICTS
from muver.retriever.evaluation.precision import in_words
from muver.retriever.evaluation.significance import Paired

Labels = dict[str, str]  # the first cells of a line, by column
T = TypeVar("T")
NEAR = paper()["tolerance"]["near"]
RULE = (
    "The half-width is that of the 95% interval of the difference between two equal systems: of "
    "two recalls over as many independent mentions, or of two seeds where the row has several. "
    f"Reproduced: inside, where that is at most {NEAR} points; cannot tell: inside a wider one. "
    f"Near: outside, within {NEAR} points. Both directions count."
)


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
        counted = "; ".join(
            f"{one.column} {one.mentions} mentions (outside: {one.outside})" for one in table.sets
        )
        said = [
            "In-KB recall: of the mentions whose gold entity is in the knowledge base, with its "
            f"{table.kb.entities} entities as candidates. {counted}."
        ]
    else:
        (one,) = table.sets
        worlds = one.worlds
        said = [
            f"{one.mentions} {'mentions' if one.mentions > 1 else 'mention'} of "
            f"{len(worlds)} {'worlds' if len(worlds) > 1 else 'world'} ({', '.join(worlds)}), "
            "candidates ranked within the mention's world, every mention counting the same."
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
    """The section of published numbers beside our rows, if there are any.

    ``name`` is ``paper`` or ``readme``.
    """
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

    def cell(part: Part, k: int) -> str:
        return bounds(part.interval.micro[k])

    return by_cutoff(cutoffs, "How sure the numbers are", f"{table.interval}.", lines, cell)


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
