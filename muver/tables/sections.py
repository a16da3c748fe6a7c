"""What people read of a table: a few small grids with headings, the same in every format."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from muver.tables.interval import percent
from muver.tables.paper import paper

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """A grid with a heading and a sentence about it.

    Attributes
    ----------
    best : set of (row, column)
        Cells to set in bold.
    """

    heading: str
    note: str
    header: list[str]
    rows: list[list[str]]
    best: set[tuple[int, int]] = field(default_factory=set)


def title(table: Mapping[str, Any]) -> str:
    """The heading of a table's page."""
    return f"Table {table['table']}: recall@k in percent, {table['dataset']}"


def sections(table: Mapping[str, Any]) -> list[Section]:
    """The grids of a table's page: recall, paper, macro recall, confidence intervals."""
    parts = [_main(table)]
    compared = [row for row in table["rows"] if row["paper"] is not None]
    if compared:
        parts.append(_paper(table, compared))
    if table["table"] == 1:
        parts.append(_macro(table))
    parts.append(_intervals(table))
    return parts


def _main(table: Mapping[str, Any]) -> Section:
    worlds = table["worlds"]
    note = (
        f"{table['mentions']} mentions of {len(worlds)} "
        f"{'worlds' if len(worlds) > 1 else 'world'} ({', '.join(worlds)}), candidates ranked "
        "within the mention's world, every mention counting the same. "
        f"{table['paper']['note'] or ''}"
    )
    rows = [
        [
            *_labels(row),
            *(percent(row["hits"][str(k)], row["mentions"]) for k in table["cutoffs"]),
            row["row_key"],
        ]
        for row in table["rows"]
    ]
    header = [*_label_names(table), *_columns(table), "row_key"]
    return Section("", note.strip(), header, rows, _best(table))


def _paper(table: Mapping[str, Any], compared: list[Row]) -> Section:
    tolerance = table["paper"]["tolerance"]
    note = (
        f"{table['paper']['source']}: the paper's value, ours minus it in points, and the "
        f"verdict: OK within {tolerance['ok']} points, near within {tolerance['near']}, else off."
    )

    def cell(row: Row, k: str) -> str:
        if row["paper"][k] is None:
            return "-"
        return f"{row['paper'][k]:.2f} ({row['difference'][k]:+.2f}, {row['verdict'][k]})"

    part = _grid(table, "Against the paper", note, compared, cell)
    if table["table"] == 1:
        part.rows.extend(_quoted(table))
    return part


def _quoted(table: Mapping[str, Any]) -> list[list[str]]:
    """The paper's rows that we do not make."""
    rows = []
    for method, row in paper()["table1"]["quoted"].items():
        values = dict(zip(paper()["columns"], row["values"], strict=True))
        found = [values.get(k) for k in table["cutoffs"]]
        rows.append([method, *("-" if value is None else f"{value:.2f}" for value in found)])
    return rows


def _macro(table: Mapping[str, Any]) -> Section:
    return _grid(
        table,
        "Mean of worlds",
        "Macro recall: every world counts the same.",
        table["rows"],
        lambda row, k: f"{row['macro'][k]:.2f}",
    )


def _intervals(table: Mapping[str, Any]) -> Section:
    return _grid(
        table,
        "How sure the numbers are",
        f"{table['interval']}, mentions taken as independent.",
        table["rows"],
        lambda row, k: "{:.1f} to {:.1f}".format(*row["interval"][k]),
    )


def _grid(
    table: Mapping[str, Any],
    heading: str,
    note: str,
    rows: list[Row],
    cell: Callable[[Row, str], str],
) -> Section:
    filled = [[*_labels(row), *(cell(row, str(k)) for k in table["cutoffs"])] for row in rows]
    return Section(heading, note, [*_label_names(table), *_columns(table)], filled)


def _best(table: Mapping[str, Any]) -> set[tuple[int, int]]:
    """Cells with the most hits of a column, in each domain."""
    rows, best = table["rows"], set()
    labels = len(_label_names(table))
    for column, k in enumerate(map(str, table["cutoffs"]), start=labels):
        for number, row in enumerate(rows):
            rivals = [other for other in rows if other.get("domain") == row.get("domain")]
            if row["hits"][k] == max(other["hits"][k] for other in rivals):
                best.add((number, column))
    return best


def _columns(table: Mapping[str, Any]) -> list[str]:
    return [f"R@{k}" for k in table["cutoffs"]]


def _label_names(table: Mapping[str, Any]) -> list[str]:
    return ["method"] if table["table"] == 1 else ["method", "Domain"]


def _labels(row: Row) -> list[str]:
    return [row["method"], row["domain"]] if "domain" in row else [row["method"]]
