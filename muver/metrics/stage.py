"""The metrics stage: writes results to files that `dvc metrics` and `dvc plots` read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json, write_json, write_text
from muver.io.pruning import remove_all, strays
from muver.metrics.curves import curves_of
from muver.metrics.numbers import numbers_of


def write_metrics(
    tables: Sequence[Path], curves: Sequence[Path], metrics: Path, plots: Path
) -> None:
    """Write ``metrics``/<result>/<row>.json and ``plots``/<result>.csv.

    All other files in these folders belong to rows that are no longer asked for and are removed.

    Parameters
    ----------
    tables, curves
        JSON files of the results whose numbers or curves are written.
    metrics, plots
        Folders that hold only these files.

    Raises
    ------
    InputError
        If a file is missing or is not a result.
    """
    kept = []
    for path in tables:
        for row, numbers in numbers_of(_read(path)).items():
            write_json(metrics / path.stem / f"{row}.json", numbers)
            kept.append(metrics / path.stem / f"{row}.json")
    for path in curves:
        write_text(plots / f"{path.stem}.csv", curves_of(_read(path)))
    remove_all(strays(metrics, kept))
    remove_all(strays(plots, [plots / f"{path.stem}.csv" for path in curves]))


def _read(path: Path) -> dict[str, Any]:
    result = read_json(path)
    if not isinstance(result, dict) or not isinstance(result.get("rows"), list):
        raise InputError(f"{path}: not the JSON of a table or figure. Run the stage that makes it.")
    return result
