"""Draws what recall costs: a comparison's rows by their vectors, or by their labelled mentions."""

from typing import TYPE_CHECKING

from muver.io.errors import InputError
from muver.reproduction.figures import style
from muver.reproduction.tables.records import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUTOFFS = (1, 16, 64)
LABELS = {
    "vectors": "vectors an entity, on average (log scale)",
    "labelled": "labelled mentions that training has, in percent",
}


def draw(table: Table) -> "Figure":
    """Draw the JSON of a comparison, a panel a cutoff.

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
