"""The metrics stage: writes results to files that `dvc metrics` and `dvc plots` read."""

from collections.abc import Sequence
from pathlib import Path

from muver.io.files import remove_all, strays, write_json, write_text
from muver.reproduction.metrics.curves import curves_of
from muver.reproduction.metrics.numbers import numbers_of
from muver.reproduction.tables.records import read_result


def write_metrics(
    tables: Sequence[Path], curves: Sequence[Path], metrics: Path, plots: Path
) -> None:
    """Write ``metrics``/<result>/<row>.json and ``plots``/<result>.csv.

    ``tables`` and ``curves`` are JSON files of results. All other files in the two folders belong
    to rows that are no longer asked for and are removed.
    """
    kept = []
    for path in tables:
        for row, numbers in numbers_of(read_result(path)).items():
            write_json(metrics / path.stem / f"{row}.json", numbers)
            kept.append(metrics / path.stem / f"{row}.json")
    for path in curves:
        write_text(plots / f"{path.stem}.csv", curves_of(read_result(path)))
    remove_all(strays(metrics, kept))
    remove_all(strays(plots, [plots / f"{path.stem}.csv" for path in curves]))
