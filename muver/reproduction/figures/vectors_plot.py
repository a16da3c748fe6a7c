"""Draws the trade of a comparison's rows: recall against the vectors that an entity takes."""

from typing import TYPE_CHECKING

from muver.io.errors import InputError
from muver.reproduction.figures import style
from muver.reproduction.tables.records import ComparisonTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUTOFFS = (1, 16, 64)


def draw(table: ComparisonTable) -> "Figure":
    """Draw the JSON of a comparison, a panel a cutoff.

    Rows whose methods agree up to the first comma are one curve, such as "SOM" and "SOM, 8 pooled
    vectors". Rows without vectors are left out.
    """
    from matplotlib.figure import Figure

    (only,) = table.sets
    curves: dict[str, list] = {}
    for row in table.rows:
        part = row.sets[only.set]
        if part.views_per_entity:
            curves.setdefault(row.method.partition(",")[0], []).append(part)
    if not curves:
        raise InputError(f"{table.name}: no row has vectors: there is nothing to draw.")
    cutoffs = [k for k in CUTOFFS if k in table.cutoffs] or table.cutoffs[-1:]
    figure = Figure(figsize=(3.2 * len(cutoffs), 3.8), layout="constrained")
    figure.suptitle(f"{table.caption}, {table.dataset}", x=0.01, ha="left", fontsize=10)
    panels = figure.subplots(1, len(cutoffs), squeeze=False)[0]
    for axes, k in zip(panels, cutoffs, strict=True):
        for n, (name, parts) in enumerate(curves.items()):
            colour, marker = style.CURVES[n % len(style.CURVES)]
            parts = sorted(parts, key=lambda part: part.views_per_entity)
            vectors = [part.views_per_entity for part in parts]
            axes.vlines(
                vectors, *zip(*(part.interval.micro[k] for part in parts), strict=True),
                color=colour, linewidth=1, alpha=0.5,
            )  # fmt: skip
            found = [part.micro[k] for part in parts]
            axes.plot(vectors, found, color=colour, marker=marker, label=name)
        axes.set_title(f"recall@{k} (%)", color=style.GREY)
        style.log_axis(axes, [part.views_per_entity for parts in curves.values() for part in parts])
    panels[len(cutoffs) // 2].set_xlabel("vectors an entity, on average (log scale)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
