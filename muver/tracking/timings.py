"""How long a row's stages took and what memory they had: from Snakemake's benchmark files."""

import csv
from collections.abc import Iterable
from pathlib import Path

from muver.io.errors import InputError

# Column of the file: name of the metric. Seconds; the largest memory in MiB; processors kept busy
# on average, in percent of one.
COLUMNS = {"s": "seconds", "max_rss": "max_rss_mb", "mean_load": "mean_load_percent"}


def timings(stages: Iterable[tuple[str, Path]]) -> dict[str, float]:
    """Metrics such as ``system/train/seconds``; MLflow shows those of ``system/`` on a page apart.

    Parameters
    ----------
    stages
        The stage's name and its benchmark file. One that is not there is passed over: results
        that were pulled from elsewhere have none. A number that Snakemake could not measure (a
        job of less than a second, another system) is left out.

    Raises
    ------
    InputError
        If a file is no benchmark file.
    """
    found = {}
    for stage, path in stages:
        if path.is_file():
            row = _last_row(path)
            for column, name in COLUMNS.items():
                if row.get(column) not in (None, "", "-", "NA"):
                    found[f"system/{stage}/{name}"] = _number(path, column, row[column])
    return found


def _last_row(path: Path) -> dict[str, str]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    if not rows or "s" not in rows[-1]:
        raise InputError(
            f"{path}: not a benchmark file of Snakemake (no column s). Remove it; it is written "
            "when its stage runs."
        )
    return rows[-1]


def _number(path: Path, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{path}, column {column}: {text!r} is no number. Remove it.") from None
