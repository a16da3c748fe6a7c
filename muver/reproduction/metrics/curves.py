"""Writes a result as points for `dvc plots`, one point per line."""

from collections.abc import Iterator

from muver.io.errors import InputError
from muver.reproduction.figures.views_plot import find_curves
from muver.reproduction.tables.comparison import lines_of
from muver.reproduction.tables.records import AnyResult, ComparisonTable, LengthsFigure, ViewsTable
from muver.reproduction.tables.render import csv_text

Line = tuple[str, float, float, float, float]


def curves_of(result: AnyResult) -> str:
    """The curves of a result as CSV: name, x, y and the 95% interval of y.

    They are of Figure 2 (error rate by sentences of the gold description; x is where a bin
    starts), of Table 3 (recall by views per entity) or of a comparison (recall by k).
    """
    if type(result) not in CURVES:
        raise InputError(f"{result.name}: its rows have no recall at cutoffs to draw.")
    axis, number, lines = CURVES[type(result)]
    return csv_text(("row", axis, number, "low", "high"), lines(result))


def _by_cutoff(table: ComparisonTable) -> Iterator[Line]:
    for labels, part in lines_of(table):
        for k in table.cutoffs:
            yield ", ".join(labels.values()), k, part.micro[k], *part.interval.micro[k]


def _by_views(table: ViewsTable) -> Iterator[Line]:
    """As drawn in Table 3's figure: a row without merging is a point, and may start a curve."""
    points, curves = find_curves(table.rows)
    lines = [(point.method, [point]) for point in points]
    lines += [(one.label, [*([one.start] if one.start else []), *one.rows]) for one in curves]
    k = table.cutoff
    for label, rows in lines:
        for row in rows:
            yield label, row.views_per_entity, row.part.micro[k], *row.part.interval.micro[k]


def _by_length(figure: LengthsFigure) -> Iterator[Line]:
    for n, row in enumerate(figure.rows):
        for one in figure.bins:
            if one.mentions:
                yield row.method, one.first, one.error[n], *one.interval[n]


CURVES = {
    ComparisonTable: ("k", "recall", _by_cutoff),
    ViewsTable: ("views", "recall", _by_views),
    LengthsFigure: ("sentences", "error", _by_length),
}
