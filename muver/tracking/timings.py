"""How long a row's stages took and what memory they had: Snakemake's benchmark files."""

import csv
from collections.abc import Mapping
from pathlib import Path

from muver.io.errors import InputError
from muver.tracking.entry import Work

# Columns of the file and the names of their metrics: seconds, the largest memory in MiB, and
# processors kept busy on average, in percent of one.
COLUMNS = {"s": "seconds", "max_rss": "max_rss_mb", "mean_load": "mean_load_percent"}
GROUP = "work/"  # what begins their names


def timings(stages: Mapping[str, str | Path]) -> tuple[dict[str, float], Work | None]:
    """Metrics such as ``work/train_seconds``, and the work.

    Parameters
    ----------
    stages
        Benchmark files by stage. One that is not there is passed over: results that were pulled
        from elsewhere have none. A number that Snakemake could not measure (in a job of less than a
        second, or on another system) is left out.

    Returns
    -------
    The metrics, and the work of all stages: it lasted as long as they together and ended with the
    last of them, when its file was written. None without files.

    Raises
    ------
    InputError
        If a file is no benchmark file.
    """
    metrics: dict[str, float] = {}
    files = {stage: path for stage, one in stages.items() if (path := Path(one)).is_file()}
    for stage, path in files.items():
        row = _last_row(path)
        for column, name in COLUMNS.items():
            if row.get(column) not in (None, "", "-", "NA"):
                metrics[f"{GROUP}{stage}_{name}"] = _number(path, column, row[column])
    if not files:
        return metrics, None
    seconds = sum(metrics.get(f"{GROUP}{stage}_seconds", 0) for stage in files)
    return metrics, Work(seconds, max(path.stat().st_mtime for path in files.values()))


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
