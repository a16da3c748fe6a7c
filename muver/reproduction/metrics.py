"""Writes results as `dvc metrics` and `dvc plots` read them: numbers by row, points of curves."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from muver.io.files import remove_all, strays, write_json, write_text
from muver.reproduction.tables.layouts import places
from muver.reproduction.tables.records import (
    GridResult,
    LengthsFigure,
    Line,
    Table,
    merging_curves,
    read_result,
)
from muver.reproduction.tables.render import csv_text

Numbers = dict[str, float]
Point = tuple[str, float, float, float, float]  # name, x, y and the 95% interval of y


def write_metrics(
    tables: Sequence[Path], curves: Sequence[Path], metrics: Path, plots: Path
) -> None:
    """Write the numbers and curves of results as DVC compares them.

    Writes ``metrics``/<result>/<row>.json and ``plots``/<result>.csv.

    ``tables`` and ``curves`` are JSON files of results. All other files in the two folders belong
    to rows that are no longer asked for and are removed.
    """
    kept = []
    for path in tables:
        table = read_result(path, Table | GridResult, "rows with recall")
        for row, numbers in numbers_of(table).items():
            kept.append(metrics / path.stem / f"{row}.json")
            write_json(kept[-1], numbers)
    for path in curves:
        result = read_result(path, Table | LengthsFigure, "rows with recall at cutoffs")
        write_text(plots / f"{path.stem}.csv", curves_of(result))
    remove_all(strays(metrics, kept))
    remove_all(strays(plots, [plots / f"{path.stem}.csv" for path in curves]))


def numbers_of(table: Table | GridResult) -> dict[str, Numbers]:
    """The numbers of each row of a table of recall, or of the grid, by system.

    Recall is in percent, under names that depend on the table: ``R@01`` to ``R@64`` (zeros
    make them sort as numbers); ``R@010 msnbc`` with a set of Table 2; ``R@64`` and the mean number
    of ``views`` per entity in Table 3; ``R@64 lego`` with a world of Table 6; ``R@64 validation``
    and the ``step`` that reached it in the grid.
    """
    found: dict[str, Numbers] = {}
    if isinstance(table, GridResult):
        name = f"R@{table.cutoff} validation"
        return {row.system: {name: row.recall, "step": row.step} for row in table.rows}
    width = len(str(max(table.cutoffs)))
    for place in places(table):
        numbers = found.setdefault(place.row.system, {})
        end = place.world or (place.set if table.kb else "")
        for k in table.cutoffs[-1:] if place.world else table.cutoffs:
            numbers[f"R@{k:0{width}} {end}".strip()] = place.line(table, k).recall
        if table.layout == "views" and place.row.views_per_entity is not None:
            numbers["views"] = place.row.views_per_entity
    return found


def curves_of(result: Table | LengthsFigure) -> str:
    """The curves of a result as CSV, a point a line.

    They are of Figure 2 (error rate by sentences of the gold description; x is where a bin
    starts), of Table 3 (recall by views per entity) or of a comparison (recall by k).
    """
    if isinstance(result, LengthsFigure):
        axis, number, points = "sentences", "error", _by_length(result)
    elif result.layout == "views":
        axis, number, points = "views", "recall", _by_views(result)
    else:
        axis, number, points = "k", "recall", _by_cutoff(result)
    return csv_text(("row", axis, number, "low", "high"), points)


def _point(name: str, x: float, line: Line) -> Point:
    return name, x, line.recall, line.low, line.high


def _by_cutoff(table: Table) -> Iterator[Point]:
    for place in places(table):
        for k in table.cutoffs:
            yield _point(", ".join(place.labels.values()), k, place.line(table, k))


def _by_views(table: Table) -> Iterator[Point]:
    """As drawn in Table 3's figure: a row without merging is a point, and may start a curve."""
    for label, rows in merging_curves(table.rows).items():
        for row in rows:
            line = table.line(row.row_key, table.cutoffs[0])
            yield _point(label, row.views_per_entity, line)


def _by_length(figure: LengthsFigure) -> Iterator[Point]:
    for n, row in enumerate(figure.rows):
        for bin_ in figure.bins:
            if bin_.mentions:
                yield row.method, bin_.first, bin_.error[n], *bin_.interval[n]
