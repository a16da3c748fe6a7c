"""Draws Table 3: recall against the number of views per entity."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from muver.io.errors import InputError
from muver.reproduction.figures import style
from muver.reproduction.tables.records import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = ((style.VERMILION, "s"), (style.GREEN, "D"), (style.BLACK, "^"), (style.PURPLE, "P"))
LINES = ((style.BLUE, "o"), (style.ORANGE, "v"), (style.SKY, "<"), (style.PURPLE, ">"))


class Curve(NamedTuple):
    """The rows of a system after each layer of merging."""

    label: str
    start: TableRow | None  # the row of the same views before merging, if the table has it
    rows: list[TableRow]


def draw(table: Table) -> "Figure":
    """Draw the JSON of Table 3: all rows on the left, only the curves of merging on the right."""
    from matplotlib.figure import Figure

    (k,), (points, curves) = table.cutoffs, find_curves(table.rows)
    figure = Figure(figsize=(8, 4) if curves else (5, 4), layout="constrained")
    figure.suptitle(f"{table.caption}, {table.dataset}", x=0.01, ha="left", fontsize=10)
    everything, *merging = figure.subplots(1, 2 if curves else 1, squeeze=False)[0]
    for n, curve in enumerate(curves):
        for axes in (everything, *merging):
            _draw_curve(axes, table, curve, *LINES[n % len(LINES)])
    starts = [curve.start for curve in curves]
    for n, point in enumerate(points):
        for axes in (everything, *(merging if point in starts else [])):
            _draw_point(axes, table, point, *POINTS[n % len(POINTS)])
    everything.set_ylabel(f"recall@{k} (%)")
    everything.set_xlabel("mean number of views an entity (log scale)")
    style.log_axis(everything, [row.views_per_entity for row in table.rows])
    for axes in merging:
        everything.set_title("all", color=style.GREY)
        axes.set_title("merging alone", color=style.GREY)
        axes.set_xlabel("mean number of views an entity")
    figure.legend(*everything.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def find_curves(rows: Sequence[TableRow]) -> tuple[list[TableRow], list[Curve]]:
    """The rows without merging, and the curves of the others, in the table's order.

    A curve starts at the row that its rows name as ``start``. Rows without views are left out.
    """
    points: list[TableRow] = []
    merged: dict[tuple[str, str], list[TableRow]] = {}
    for row in rows:
        if row.views_per_entity is None:
            continue
        if not row.merged:
            points.append(row)
        else:
            merged.setdefault((row.method, row.merged.searched), []).append(row)
    if not points and not merged:
        raise InputError("no row of the table has a number of views: there is nothing to draw.")
    starts = {point.system: point for point in points}
    curves = [
        Curve(", ".join(names), starts.get(layers[0].merged.start), layers)
        for names, layers in merged.items()
    ]
    return points, curves


def _draw_curve(axes: "Axes", table: Table, curve: Curve, colour: str, marker: str) -> None:
    """A line over a band for the intervals, from the row without merging on."""
    before = [] if curve.start is None else [curve.start]
    rows = [*before, *sorted(curve.rows, key=lambda row: row.merged.layers)]
    views = [row.views_per_entity for row in rows]
    lines = [table.line(row.row_key, table.cutoffs[0]) for row in rows]
    low, high = [line.low for line in lines], [line.high for line in lines]
    axes.fill_between(views, low, high, color=colour, **style.BAND)
    axes.plot(
        views, [line.recall for line in lines], color=colour, marker=marker, label=curve.label,
        markevery=slice(len(before), None),
    )  # fmt: skip


def _draw_point(axes: "Axes", table: Table, row: TableRow, colour: str, marker: str) -> None:
    """A single marker with a bar for its interval."""
    views, line = row.views_per_entity, table.line(row.row_key, table.cutoffs[0])
    axes.vlines(views, line.low, line.high, color=colour, linewidth=1, zorder=3)
    axes.plot(
        views, line.recall, color=colour, marker=marker, linestyle="none", label=row.method,
        zorder=4,
    )  # fmt: skip
