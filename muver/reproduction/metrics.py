"""Writes results as `dvc metrics` and `dvc plots` read them: numbers by row, points of curves."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from muver.io.files import remove_all, strays, write_json, write_text
from muver.reproduction.figures.views_plot import find_curves
from muver.reproduction.tables.comparison import lines_of
from muver.reproduction.tables.records import (
    Compared,
    ComparedRow,
    ComparisonTable,
    DomainRow,
    DomainsTable,
    GridResult,
    LayersRow,
    LengthsFigure,
    LinkedRow,
    LinkingTable,
    PointRow,
    ViewsTable,
    read_result,
)
from muver.reproduction.tables.render import csv_text

Measured = Compared | ViewsTable | DomainsTable | GridResult
Drawn = Compared | ViewsTable | LengthsFigure
Numbers = dict[str, float]
Point = tuple[str, float, float, float, float]  # name, x, y and the 95% interval of y


def write_metrics(
    tables: Sequence[Path], curves: Sequence[Path], metrics: Path, plots: Path
) -> None:
    """Write ``metrics``/<result>/<row>.json and ``plots``/<result>.csv.

    ``tables`` and ``curves`` are JSON files of results. All other files in the two folders belong
    to rows that are no longer asked for and are removed.
    """
    kept = []
    for path in tables:
        for row, numbers in numbers_of(read_result(path, Measured, "rows with recall")).items():
            kept.append(metrics / path.stem / f"{row}.json")
            write_json(kept[-1], numbers)
    for path in curves:
        result = read_result(path, Drawn, "rows with recall at cutoffs")
        write_text(plots / f"{path.stem}.csv", curves_of(result))
    remove_all(strays(metrics, kept))
    remove_all(strays(plots, [plots / f"{path.stem}.csv" for path in curves]))


def numbers_of(table: Measured) -> dict[str, Numbers]:
    """The numbers of each row of a table of recall, or of the grid, by system.

    Recall is in percent, under names that depend on the table: ``R@01`` to ``R@64`` (zeros
    make them sort as numbers); ``R@010 msnbc`` with a set of Table 2; ``R@64`` and the mean number
    of ``views`` per entity in Table 3; ``R@64 lego`` with a world of Table 6; ``R@64 validation``
    and the ``step`` that reached it in the grid. Of entity linking the shares have their own names.
    """
    found: dict[str, Numbers] = {}
    for row in table.rows:
        found.setdefault(row.system, {}).update(NUMBERS[type(table)](table, row))
    return found


def _by_set(table: ComparisonTable, row: ComparedRow) -> Numbers:
    width = len(str(max(table.cutoffs)))
    return {
        f"R@{k:0{width}}" + (f" {name}" if table.kb else ""): part.micro[k]
        for name, part in row.sets.items()
        for k in table.cutoffs
    }


def _linked(table: LinkingTable, row: LinkedRow) -> Numbers:
    return {name: one.percent for name, one in row.linked.measures.items()}


def _views(table: ViewsTable, row: LayersRow) -> Numbers:
    recall = {f"R@{table.cutoff}": row.part.micro[table.cutoff]}
    return recall if row.views_per_entity is None else {**recall, "views": row.views_per_entity}


def _domain(table: DomainsTable, row: DomainRow) -> Numbers:
    k = table.cutoffs[-1]
    return {f"R@{k} {row.domain}": row.part.micro[k]}


def _point(table: GridResult, row: PointRow) -> Numbers:
    return {f"R@{table.cutoff} validation": row.recall, "step": row.step}


NUMBERS = {
    ComparisonTable: _by_set,
    LinkingTable: _linked,
    ViewsTable: _views,
    DomainsTable: _domain,
    GridResult: _point,
}


def curves_of(result: Drawn) -> str:
    """The curves of a result as CSV, a point a line.

    They are of Figure 2 (error rate by sentences of the gold description; x is where a bin
    starts), of Table 3 (recall by views per entity) or of a comparison (recall by k).
    """
    axis, number, points = CURVES[type(result)]
    return csv_text(("row", axis, number, "low", "high"), points(result))


def _by_cutoff(table: ComparisonTable) -> Iterator[Point]:
    for labels, part in lines_of(table):
        for k in table.cutoffs:
            yield ", ".join(labels.values()), k, part.micro[k], *part.interval.micro[k]


def _by_views(table: ViewsTable) -> Iterator[Point]:
    """As drawn in Table 3's figure: a row without merging is a point, and may start a curve."""
    points, curves = find_curves(table.rows)
    lines = [(point.method, [point]) for point in points]
    lines += [(one.label, [*([one.start] if one.start else []), *one.rows]) for one in curves]
    k = table.cutoff
    for label, rows in lines:
        for row in rows:
            yield label, row.views_per_entity, row.part.micro[k], *row.part.interval.micro[k]


def _by_length(figure: LengthsFigure) -> Iterator[Point]:
    for n, row in enumerate(figure.rows):
        for one in figure.bins:
            if one.mentions:
                yield row.method, one.first, one.error[n], *one.interval[n]


CURVES = {
    ComparisonTable: ("k", "recall", _by_cutoff),
    LinkingTable: ("k", "recall", _by_cutoff),
    ViewsTable: ("views", "recall", _by_views),
    LengthsFigure: ("sentences", "error", _by_length),
}
