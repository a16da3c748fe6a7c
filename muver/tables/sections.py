"""Grids that several tables share: something of every row at every cutoff."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muver.evaluation import significance
from muver.evaluation.bootstrap import method
from muver.evaluation.precision import in_words
from muver.tables.numbers import bounds, probability
from muver.tables.page import Section
from muver.tables.paper import paper
from muver.tables.verdict import VERDICTS

Row = Mapping[str, Any]
NEAR = paper()["tolerance"]["near"]
RULE = (
    "The half-width is that of the 95% interval of the difference between two equal systems: of "
    "two recalls over as many independent mentions, or of two seeds where the row has several. "
    f"Reproduced: inside, where that is at most {NEAR} points; cannot tell: inside a wider one. "
    f"Near: outside, within {NEAR} points. Both directions count."
)


def by_cutoff(
    table: Mapping[str, Any],
    heading: str,
    note: str,
    rows: Sequence[Row],
    cell: Callable[[Row, str], str],
) -> Section:
    """A grid with a column a cutoff, after the method and, where rows have one, the domain or set.

    Parameters
    ----------
    table
        With ``cutoffs`` and ``rows``.
    cell
        Text of a row at a cutoff.
    """
    labels = label_keys(table)
    filled = [
        [*(row[key] for key in labels.values()), *(cell(row, str(k)) for k in table["cutoffs"])]
        for row in rows
    ]
    return Section(heading, note, [*labels, *(f"R@{k}" for k in table["cutoffs"])], filled)


def label_keys(table: Mapping[str, Any]) -> dict[str, str]:
    """Names of the columns before the numbers, with the keys of rows that fill them."""
    further = {"Domain": "domain", "Set": "set"}
    return {"method": "method", **{n: key for n, key in further.items() if key in table["rows"][0]}}


def mentions_note(table: Mapping[str, Any]) -> str:
    """What was measured, what there was nothing to measure on, and rows in less precision."""
    worlds, empty = table["worlds"], table["worlds_without_mentions"]
    parts = [
        f"{table['mentions']} {'mentions' if table['mentions'] > 1 else 'mention'} of "
        f"{len(worlds)} {'worlds' if len(worlds) > 1 else 'world'} ({', '.join(worlds)}), "
        "candidates ranked within the mention's world, every mention counting the same."
    ]
    if empty:
        parts.append(f"Without mentions, and so without a number: {', '.join(empty)}.")
    if table["paper"]["note"]:
        parts.append(table["paper"]["note"])
    return " ".join(parts + precision_note(table["rows"]))


def precision_note(rows: Sequence[Row]) -> list[str]:
    """The rows that are not in fp32, as one sentence; none if all are."""
    methods: dict[str, dict[str, None]] = {}  # each method once, in the table's order
    for row in rows:
        if row["precision"]:
            methods.setdefault(in_words(row["precision"]), {})[row["method"]] = None
    told = [f"{', '.join(some)} ({precision})" for precision, some in methods.items()]
    return [f"Not in fp32: {'; '.join(told)}."] if told else []


def reference(table: Mapping[str, Any], name: str, heading: str, source: str) -> list[Section]:
    """The rows that are published beside ours; no section where there are none.

    Parameters
    ----------
    name
        ``paper`` or ``readme``: whose numbers, by the rows' keys.
    source
        Who published them.
    """
    prefix = "" if name == "paper" else f"{name}_"
    compared = [row for row in table["rows"] if row.get(name) is not None]
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
    return [by_cutoff(table, heading, f"{note}{tally(verdicts)}", compared, cell)]


def tally(verdicts: Sequence[str | None]) -> str:
    """How often each verdict was given, as a sentence."""
    counts = Counter(verdicts)
    return f"In all: {', '.join(f'{counts[verdict]} {verdict}' for verdict in VERDICTS)}."


def intervals(table: Mapping[str, Any], interval: Callable[[Row], Mapping[str, Any]]) -> Section:
    """How sure the rows' recall is; ``interval`` gives a row's bounds by cutoff."""
    return by_cutoff(
        table,
        "How sure the numbers are",
        f"{method(table['resample'])}.",
        table["rows"],
        lambda row, k: bounds(interval(row)[k]),
    )


def paired_tests(table: Mapping[str, Any]) -> list[Section]:
    """The rows' differences to the row they are tested against; no section where none was."""
    tested = [row for row in table["rows"] if row["paired"] is not None]
    if not tested:
        return []
    against = table["against"]["method"]

    def cell(row: Row, k: str) -> str:
        found = row["paired"]
        sure = bounds(found["interval"][k], sign=True)
        return f"{found['difference'][k]:+z.2f} ({sure}), {probability(found['p_value'][k])}"

    note = (
        f"The row minus {against} in points over all mentions, its 95% interval (paired bootstrap "
        f"of {table['resample']} within worlds) and a p-value: "
        f"{significance.method(table['resample'])}. p-values are not corrected for the number of "
        "comparisons, and know nothing of seeds."
    )
    return [by_cutoff(table, f"Paired tests against {against}", note, tested, cell)]
