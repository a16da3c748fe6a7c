"""The style of figures, and drawings of recall against its cost and of errors by length."""

import contextlib
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from muver.io.errors import InputError
from muver.io.files import atomic_path
from muver.reproduction.tables.records import LengthsFigure, Table, TableRow, merging_curves
from muver.retriever.evaluation.records import Bin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, distinct to colour-blind readers; markers differ as well.
BLUE, ORANGE, VERMILION = "#0072B2", "#E69F00", "#D55E00"
GREEN, PURPLE, SKY, BLACK = "#009E73", "#CC79A7", "#56B4E9", "#000000"
GREY = "#666666"
CURVES = (
    (BLUE, "o"), (ORANGE, "v"), (SKY, "<"), (PURPLE, ">"), (VERMILION, "s"), (GREEN, "D"),
    (BLACK, "^"),
)  # fmt: skip
BAND = {"alpha": 0.18, "linewidth": 0}  # an interval under a line
STYLE = Path(__file__).with_name("house.mplstyle")


def log_axis(axes: "Axes", numbers: Sequence[float]) -> None:
    """A logarithmic axis below, with plain numbers at 1, 2, 3, 5, 10 and so on."""
    axes.set_xscale("log")
    low, high = min(numbers) / 1.5, max(numbers) * 1.5
    steps = [step * 10**power for power in range(6) for step in (1, 2, 3, 5)]
    ticks = [step for step in steps if low <= step <= high]
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw and write figures in this style, whatever the user's matplotlib settings."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            matplotlib.rc_params_from_file(STYLE, use_default_template=False)
        )
        yield


def save(figure: "Figure", folder: Path, name: str) -> None:
    """Write ``name``.svg and ``name``.png; call this within :func:`house_style`."""
    for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        with atomic_path(folder / f"{name}.{kind}") as temporary:
            figure.savefig(temporary, format=kind, metadata=metadata)


CUTOFFS = (1, 16, 64)
LABELS = {
    "vectors": "vectors an entity, on average (log scale)",
    "labelled": "labelled mentions that training has, in percent",
}


def draw_recall(table: Table) -> "Figure":
    """Draw the JSON of a comparison or of Table 3: a panel a cutoff, and one of merging alone.

    In a comparison, rows whose methods agree up to the first comma are one curve, such as "SOM" and
    "SOM, 8 pooled vectors". Rows without a place on the axis are left out.
    """
    from matplotlib.figure import Figure

    shares = table.figure == "labelled"  # 0, 10, 30 and 100 percent stand side by side

    def place(row: TableRow) -> float | None:
        return row.labelled if shares else row.views_per_entity

    if table.layout == "views":
        curves = merging_curves(table.rows)
    else:
        curves = {}
        for row in table.rows:
            if place(row) is not None:
                curves.setdefault(row.method.partition(",")[0], []).append(row)
    if not curves:
        raise InputError(f"{table.name}: no row has {table.figure}: there is nothing to draw.")
    known = sorted({place(row) for rows in curves.values() for row in rows})
    cutoffs = [k for k in CUTOFFS if k in table.cutoffs] or table.cutoffs[-1:]
    panels = [(k, f"recall@{k} (%)", curves) for k in cutoffs]
    if starts := [rows[0] for rows in curves.values() if rows[-1].merged]:
        merging = {label: rows for label, rows in curves.items() if rows[0] in starts}
        panels.append((cutoffs[-1], "merging alone", merging))
    figure = Figure(figsize=(3.5 * len(panels), 4), layout="constrained")
    figure.suptitle(f"{table.caption}, {table.dataset}", x=0.01, ha="left", fontsize=10)
    looks = dict(zip(curves, cycle(CURVES), strict=False))
    every = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (k, title, drawn) in zip(every, panels, strict=True):
        for label, rows in drawn.items():
            colour, marker = looks[label]
            ordered = sorted(rows, key=place)
            places = [known.index(place(row)) if shares else place(row) for row in ordered]
            lines = [table.line(row.row_key, k) for row in ordered]
            low, high = [line.low for line in lines], [line.high for line in lines]
            axes.vlines(places, low, high, color=colour, linewidth=1, alpha=0.5)
            recall = [line.recall for line in lines]
            front = 4 if len(rows) == 1 else 3  # a point in front of curves that start there
            axes.plot(places, recall, color=colour, marker=marker, label=label, zorder=front)
        axes.set_title(title, color=GREY)
        axes.set_xlabel(LABELS[table.figure])
        if shares:
            axes.set_xticks(range(len(known)), [f"{100 * share:g}" for share in known])
        else:
            log_axis(axes, [place(row) for rows in drawn.values() for row in rows])
    handles = every[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(panels))
    return figure


LOOKS = ({"color": VERMILION, "marker": "s"}, {"color": BLUE, "marker": "o"})
NOTHING = (np.nan, np.nan)
ASIDE = 0.06  # of a bin's width, so that equal values of both systems stay visible


def draw_lengths(data: LengthsFigure) -> "Figure":
    """Draw Figure 2: both error rates, their difference, and the mentions of each bin.

    Bins without mentions stay empty.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 6), layout="constrained")
    above, middle, below = figure.subplots(3, 1, sharex=True, height_ratios=[5, 2.6, 1.2])
    bins = data.bins
    errors = np.array([bin_.error or NOTHING for bin_ in bins])
    intervals = np.array([bin_.interval or [NOTHING] * 2 for bin_ in bins])
    for n, (row, look, aside) in enumerate(zip(data.rows, LOOKS, (-ASIDE, ASIDE), strict=True)):
        _curve(above, bins, errors[:, n], intervals[:, n], aside, label=row.method, **look)
        if data.paper is not None:
            _mark_quoted(above, data.paper.errors[n], row.method, look)
    above.set_title(f"{data.caption}, {data.dataset}")
    above.set_ylabel(f"error of recall@{data.cutoff} (%)")
    above.set_ylim(bottom=0)
    above.legend(loc="best")

    middle.axhline(0, color=GREY, linewidth=0.8)
    differences = np.array([bin_.difference for bin_ in bins], dtype=np.float64)  # None: NaN
    intervals = np.array([bin_.difference_interval or NOTHING for bin_ in bins])
    _curve(middle, bins, differences, intervals, color=GREEN, marker="D")
    middle.set_ylabel("difference\n(points)")
    middle.set_title(data.difference_is, color=GREY, fontsize=8.5)

    _bars(below, bins)
    for axes in (above, middle, below):
        axes.grid(visible=False, axis="x")
    figure.align_ylabels()
    return figure


def _edges(bins: list[Bin]) -> np.ndarray:
    """Start and end of each bin on the axis: (bins, 2)."""
    return np.array([[bin_.first - 0.5, bin_.last + 0.5] for bin_ in bins])


def _curve(
    axes: "Axes",
    bins: list[Bin],
    values: np.ndarray,
    intervals: np.ndarray,
    aside: float = 0,
    **look: str,
) -> None:
    """A line through the middles of the bins over a band for the intervals; NaN makes a gap.

    A bin of a single mention is 0 or 100 %, so it has a marker but no line to its neighbours.
    """
    edges = _edges(bins)
    low, high = np.repeat(intervals, 2, axis=0).T
    axes.fill_between(edges.ravel(), low, high, color=look["color"], **BAND)
    places = edges.mean(axis=1) + aside * (edges[0, 1] - edges[0, 0])
    single = np.array([bin_.mentions == 1 for bin_ in bins])
    # Not clipped, so that a marker at 0 % is complete.
    axes.plot(places, np.where(single, np.nan, values), clip_on=False, **look)
    if single.any():
        alone = {**look, "label": None, "linestyle": "none"}
        axes.plot(places[single], values[single], clip_on=False, **alone)


def _mark_quoted(axes: "Axes", errors: dict[str, float], method: str, look: dict[str, str]) -> None:
    """Hollow markers for the numbers of the paper's text, in the middle of their bins."""
    middles = [np.mean([float(end) for end in name.split("-")]) for name in errors]
    axes.plot(
        middles, list(errors.values()), linestyle="none", markersize=9, markerfacecolor="none",
        label=f"{method}, quoted by the paper", **look,
    )  # fmt: skip


def _bars(axes: "Axes", bins: list[Bin]) -> None:
    edges = _edges(bins)
    counts = [bin_.mentions for bin_ in bins]
    size = edges[0, 1] - edges[0, 0]
    bars = axes.bar(edges.mean(axis=1), counts, width=0.86 * size, color="#B0B0B0")
    axes.bar_label(bars, padding=1.5, fontsize=6.5, color=GREY)
    axes.set_ylabel("mentions")
    axes.set_ylim(0, 1.3 * max(counts))
    axes.set_xlim(edges[0, 0], edges[-1, 1])
    axes.set_xlabel("sentences in the gold entity's description")
    axes.set_xticks(edges.mean(axis=1), [f"{bin_.first}–{bin_.last}" for bin_ in bins])
    axes.tick_params(axis="x", labelrotation=45 if len(bins) > 10 else 0, length=0)
