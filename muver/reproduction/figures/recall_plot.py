"""Draws recall against what it costs: views or vectors of an entity, or labelled mentions."""

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
    """Draw the JSON of Table 3, or of a comparison."""
    return _merging(table) if table.layout == "views" else _comparison(table)


def _merging(table: Table) -> "Figure":
    """Table 3: all rows on the left, only the curves of merging on the right."""
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


CUTOFFS = (1, 16, 64)
LABELS = {
    "vectors": "vectors an entity, on average (log scale)",
    "labelled": "labelled mentions that training has, in percent",
}


def _comparison(table: Table) -> "Figure":
    """A comparison, a panel a cutoff.

    Rows whose methods agree up to the first comma are one curve, such as "SOM" and "SOM, 8 pooled
    vectors". Rows without a place on the axis are left out.
    """
    from matplotlib.figure import Figure

    shares = table.figure == "labelled"  # 0, 10, 30 and 100 percent stand side by side
    curves: dict[str, list[tuple[float, TableRow]]] = {}
    for row in table.rows:
        place = row.labelled if shares else row.views_per_entity
        if place is not None:
            curves.setdefault(row.method.partition(",")[0], []).append((place, row))
    if not curves:
        raise InputError(f"{table.name}: no row has {table.figure}: there is nothing to draw.")
    known = sorted({place for points in curves.values() for place, _ in points})
    at = {place: n if shares else place for n, place in enumerate(known)}
    cutoffs = [k for k in CUTOFFS if k in table.cutoffs] or table.cutoffs[-1:]
    figure = Figure(figsize=(3.2 * len(cutoffs), 3.8), layout="constrained")
    figure.suptitle(f"{table.caption}, {table.dataset}", x=0.01, ha="left", fontsize=10)
    panels = figure.subplots(1, len(cutoffs), squeeze=False)[0]
    for axes, k in zip(panels, cutoffs, strict=True):
        for n, (name, points) in enumerate(curves.items()):
            colour, marker = style.CURVES[n % len(style.CURVES)]
            ordered = sorted(points, key=lambda point: point[0])
            places = [at[place] for place, _ in ordered]
            lines = [table.line(row.row_key, k) for _, row in ordered]
            low, high = [line.low for line in lines], [line.high for line in lines]
            axes.vlines(places, low, high, color=colour, linewidth=1, alpha=0.5)
            found = [line.recall for line in lines]
            axes.plot(places, found, color=colour, marker=marker, label=name)
        axes.set_title(f"recall@{k} (%)", color=style.GREY)
        if shares:
            axes.set_xticks(range(len(known)), [f"{100 * place:g}" for place in known])
        else:
            style.log_axis(axes, known)
    panels[len(cutoffs) // 2].set_xlabel(LABELS[table.figure])
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
