"""A result as points to draw, a line each: what `dvc plots` reads and compares."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from muver.figures.views_plot import find_curves
from muver.io.errors import InputError

Line = tuple[str, float, float, float, float]
Result = Mapping[str, Any]


def curves_of(result: Result) -> str:
    """The curves of a result as CSV: their name, x, y and the 95% interval of y.

    Parameters
    ----------
    result
        The JSON of Figure 2 (error rate by sentences of the gold description, x the first of a
        bin), of Table 3 (recall by views an entity) or of a table of rows (recall by k).

    Raises
    ------
    InputError
        If there are no curves in it.
    """
    if "bins" in result:
        return _csv(("row", "sentences", "error", "low", "high"), _by_length(result))
    if any("search" in row for row in result["rows"]):
        return _csv(("row", "views", "recall", "low", "high"), _by_views(result))
    if any("micro" not in row for row in result["rows"]):
        raise InputError(f"{result.get('name')}: its rows have no recall at cutoffs to draw.")
    return _csv(("row", "k", "recall", "low", "high"), _by_cutoff(result))


def _by_cutoff(table: Result) -> Iterator[Line]:
    for row in table["rows"]:
        for k in table["cutoffs"]:
            yield row["method"], k, row["micro"][str(k)], *row["interval"]["micro"][str(k)]


def _by_views(table: Result) -> Iterator[Line]:
    """As the drawing of Table 3 has them: rows without merging are points, each also a start."""
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


def _csv(header: tuple[str, ...], lines: Iterator[Line]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return out.getvalue()
