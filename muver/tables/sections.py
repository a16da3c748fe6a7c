"""Sections that several tables share: a line per row and set, a column per cutoff."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muver.evaluation import significance
from muver.evaluation.precision import in_words
from muver.tables.footnotes import with_footnotes
from muver.tables.numbers import bounds, probability
from muver.tables.page import Cells, Section
from muver.tables.paper import paper
from muver.tables.verdict import VERDICTS

Row = Mapping[str, Any]
# Columns after the method, and the keys of lines that fill them.
LABELS = {"Domain": "domain", "Set": "set", "merging": "searched", "layers": "merge_layers"}
NEAR = paper()["tolerance"]["near"]
RULE = (
    "The half-width is that of the 95% interval of the difference between two equal systems: of "
    "two recalls over as many independent mentions, or of two seeds where the row has several. "
    f"Reproduced: inside, where that is at most {NEAR} points; cannot tell: inside a wider one. "
    f"Near: outside, within {NEAR} points. Both directions count."
)


def lines_of(table: Mapping[str, Any]) -> list[Row]:
    """A line for each row and set of a comparison, with ``set`` over a knowledge base."""
    return [
        {
            **{key: value for key, value in row.items() if key != "sets"},
            **({"set": one["column"]} if table["kb"] else {}),
            **row["sets"][one["set"]],
        }
        for one in table["sets"]
        for row in table["rows"]
    ]


def by_cutoff(
    cutoffs: Sequence[int],
    heading: str,
    note: str,
    lines: Sequence[Row],
    cell: Callable[[Row, str], str],
) -> Section:
    """A grid with a column per cutoff, after the method and the :data:`LABELS` of the lines.

    Parameters
    ----------
    cell
        The text of a line at a cutoff.
    """
    labels = {"method": "method", **{n: key for n, key in LABELS.items() if key in lines[0]}}
    filled = [
        [
            *("" if line[key] is None else str(line[key]) for key in labels.values()),
            *(cell(line, str(k)) for k in cutoffs),
        ]
        for line in lines
    ]
    return Section(heading, note, [*labels, *(f"R@{k}" for k in cutoffs)], filled)


def main_section(
    note: str,
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    rows: Sequence[Row],
    best: Cells,
) -> Section:
    """The table itself: its grid, with the rows' keys as the last column, and footnotes."""
    keyed = [[*texts, row["row_key"]] for texts, row in zip(cells, rows, strict=True)]
    return with_footnotes(Section("", note, [*header, "row_key"], keyed, best), rows)


def note_of(table: Mapping[str, Any]) -> str:
    """What the table measures, why published numbers are missing, and rows not in fp32."""
    said = _over_kb(table) if table["kb"] else _over_worlds(table["sets"][0])
    if table["paper"]["note"]:
        said.append(table["paper"]["note"])
    return " ".join(said + precision_note(table["rows"]))


def _over_worlds(one: Mapping[str, Any]) -> list[str]:
    worlds, empty = one["worlds"], one["worlds_without_mentions"]
    said = [
        f"{one['mentions']} {'mentions' if one['mentions'] > 1 else 'mention'} of "
        f"{len(worlds)} {'worlds' if len(worlds) > 1 else 'world'} ({', '.join(worlds)}), "
        "candidates ranked within the mention's world, every mention counting the same."
    ]
    return said + (
        [f"Without mentions, and so without a number: {', '.join(empty)}."] * bool(empty)
    )


def _over_kb(table: Mapping[str, Any]) -> list[str]:
    counted = "; ".join(
        f"{one['column']} {one['mentions']} mentions (outside: {one['outside']})"
        for one in table["sets"]
    )
    return [
        "In-KB recall: of the mentions whose gold entity is in the knowledge base, with its "
        f"{table['kb']['entities']} entities as candidates. {counted}."
    ]


def precision_note(rows: Sequence[Row]) -> list[str]:
    """The rows that are not in fp32, as one sentence; none if all are."""
    methods: dict[str, dict[str, None]] = {}  # each method once, in the table's order
    for row in rows:
        if row["precision"]:
            methods.setdefault(in_words(row["precision"]), {})[row["method"]] = None
    told = [f"{', '.join(some)} ({precision})" for precision, some in methods.items()]
    return [f"Not in fp32: {'; '.join(told)}."] if told else []


def reference(
    cutoffs: Sequence[int], lines: Sequence[Row], name: str, heading: str, source: str
) -> list[Section]:
    """The section of published numbers beside our rows, if there are any.

    Parameters
    ----------
    name
        ``paper`` or ``readme``, the key of the published numbers in the lines.
    source
        Who published them.
    """
    prefix = "" if name == "paper" else f"{name}_"
    compared = [line for line in lines if line.get(name) is not None]
    if not compared:
        return []

    def cell(row: Row, k: str) -> str:
        if row[name][k] is None:
            return "-"
        points, width, verdict = (
            row[f"{prefix}{key}"][k] for key in ("difference", "half_width", "verdict")
        )
        return f"{row[name][k]:.2f} ({points:+z.2f} ± {width:.2f}, {verdict})"

    verdicts = [verdict for row in compared for verdict in row[f"{prefix}verdict"].values()]
    note = f"{source}: the published value, ours minus it in points, and a verdict. {RULE} "
    return [by_cutoff(cutoffs, heading, f"{note}{_tally(verdicts)}", compared, cell)]


def _tally(verdicts: Sequence[str | None]) -> str:
    """How often each verdict was given, as a sentence."""
    counts = Counter(verdicts)
    return f"In all: {', '.join(f'{counts[verdict]} {verdict}' for verdict in VERDICTS)}."


def intervals(table: Mapping[str, Any], cutoffs: Sequence[int], lines: Sequence[Row]) -> Section:
    """The section of intervals: a line's interval of micro recall, or its only one."""

    def cell(line: Row, k: str) -> str:
        return bounds(line["interval"].get("micro", line["interval"])[k])

    return by_cutoff(cutoffs, "How sure the numbers are", f"{table['interval']}.", lines, cell)


def mean_of_worlds(
    table: Mapping[str, Any], cutoffs: Sequence[int], lines: Sequence[Row]
) -> Section:
    """Macro recall with its interval."""

    def cell(line: Row, k: str) -> str:
        return f"{line['macro'][k]:.2f} ({bounds(line['interval']['macro'][k])})"

    note = f"Macro recall: every world counts the same. In brackets the {table['interval']}."
    return by_cutoff(cutoffs, "Mean of worlds", note, lines, cell)


def paired_tests(table: Mapping[str, Any], lines: Sequence[Row]) -> list[Section]:
    """The section of paired tests against one row, if there are any."""
    tested = [line for line in lines if line["paired"] is not None]
    if not tested:
        return []
    against = table["against"]["method"]

    def cell(line: Row, k: str) -> str:
        found = line["paired"]
        sure = bounds(found["interval"][k], sign=True)
        return f"{found['difference'][k]:+z.2f} ({sure}), {probability(found['p_value'][k])}"

    note = (
        f"The row minus {against} in points over all mentions, its 95% interval (paired bootstrap "
        f"of {table['resample']} within worlds) and a p-value: "
        f"{significance.method(table['resample'])}. p-values are not corrected for the number of "
        "comparisons, and know nothing of seeds."
    )
    return [by_cutoff(table["cutoffs"], f"Paired tests against {against}", note, tested, cell)]


def counts_of_sets(table: Mapping[str, Any]) -> Section:
    """Numbers of mentions of each set: all, inside and outside the KB, found by title."""
    header = [
        "Set", "mentions", "In-KB", "outside the KB", "by title only", "the paper's mentions",
        "BLINK's In-KB",
    ]  # fmt: skip
    grid = []
    for one in table["sets"]:
        theirs = one["published"] or {}
        numbers = [one["mentions"] + one["outside"], one["mentions"], one["outside"]]
        texts = [*map(str, numbers), str(one["matched_by_title"])]
        texts += [str(theirs.get(key, "")) for key in ("mentions", "support")]
        grid.append([one["column"], *texts])
    note = (
        "Gold entities are found by Wikipedia id and, where linking.match says so, else by title; "
        "recall leaves out those that are outside. The paper gives the number of mentions in all, "
        "and quotes BLINK's numbers, which are over the mentions inside BLINK's own catalogue."
    )
    return Section("Mentions", note, header, grid)


def search_of_lines(lines: Sequence[Row]) -> Section:
    """How each row searched each set: views per entity, the index and its agreement."""
    header = [
        "method", "Set", "views an entity", "Index", "agreement", "best found", "at k", "mentions",
    ]  # fmt: skip
    grid = []
    for line in lines:
        index, views = line["index"], line["views_per_entity"]
        cells = ["exact", "", "", "", ""]
        if index is not None:
            knob = f", {index['knob']} {index['effort']}" if index["knob"] else ""
            shares = [f"{share:.4f}" for share in (index["recall"], index["best"]["found"])]
            cells = [f"{index['factory']}{knob}", *shares, str(index["k"]), str(index["mentions"])]
        grid.append([line["method"], line["set"], "" if views is None else f"{views:.2f}", *cells])
    note = (
        "Agreement of an index: the share of the k entities of exact search that it finds, and the "
        "share of mentions for which the best one is found, on a sample of mentions."
    )
    return Section("How candidates were found", note, header, grid)
