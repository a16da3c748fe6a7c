"""Writes a result as points for `dvc plots`, one point per line."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from muver.figures.views_plot import find_curves
from muver.io.errors import InputError
from muver.tables.render import csv_text
from muver.tables.sections import lines_of

Line = tuple[str, float, float, float, float]
Result = Mapping[str, Any]


def curves_of(result: Result) -> str:
    """The curves of a result as CSV: name, x, y and the 95% interval of y.

    Parameters
    ----------
    result
        The JSON of Figure 2 (error rate by sentences of the gold description; x is where a bin
        starts), of Table 3 (recall by views per entity) or of a table of rows (recall by k).

    Raises
    ------
    InputError
        If the result has no curves.
    """
    if result.get("kind") not in CURVES:
        raise InputError(f"{result.get('name')}: its rows have no recall at cutoffs to draw.")
    axis, number, lines = CURVES[result["kind"]]
    return csv_text(("row", axis, number, "low", "high"), lines(result))


def _by_cutoff(table: Result) -> Iterator[Line]:
    for line in lines_of(table):
        name = ", ".join(filter(None, (line["method"], line.get("set"))))
        for k in table["cutoffs"]:
            yield name, k, line["micro"][str(k)], *line["interval"]["micro"][str(k)]


def _by_views(table: Result) -> Iterator[Line]:
    """As drawn in Table 3's figure: a row without merging is a point, and may start a curve."""
    points, curves = find_curves(table["rows"])
    lines = [(point["method"], [point]) for point in points]
    lines += [(one.label, [*([one.start] if one.start else []), *one.rows]) for one in curves]
    k = str(table["cutoff"])
    for label, rows in lines:
        for row in rows:
            yield label, row["views_per_entity"], row["micro"][k], *row["interval"]["micro"][k]


def _by_length(figure: Result) -> Iterator[Line]:
    for n, row in enumerate(figure["rows"]):
        for one in figure["bins"]:
            if one["mentions"]:
                yield row["method"], one["first"], one["error"][n], *one["interval"][n]


CURVES: dict[str, tuple[str, str, Callable[[Result], Iterator[Line]]]] = {
    "comparison": ("k", "recall", _by_cutoff),
    "views": ("views", "recall", _by_views),
    "lengths": ("sentences", "error", _by_length),
}
