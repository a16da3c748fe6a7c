"""How long a row's stages took and what memory they had: Snakemake's benchmark files."""

import csv
from collections.abc import Mapping
from pathlib import Path

from muver.io.errors import InputError
from muver.reproduction.tracking.entry import Work

# Columns of the file and the names of their metrics: seconds, the largest memory in MiB, and
# processors kept busy on average, in percent of one.
COLUMNS = {"s": "seconds", "max_rss": "max_rss_mb", "mean_load": "mean_load_percent"}
ABSENT = (None, "", "-", "NA")
GROUP = "work/"  # what begins their names


def timings(stages: Mapping[str, str]) -> tuple[dict[str, float], Work | None]:
    """Metrics such as ``work/train_seconds``, and the work.

    Parameters
    ----------
    stages
        Benchmark files by stage. One that is not there is passed over: results that were pulled
        from elsewhere have none.

    Returns
    -------
    The metrics, and the work of all stages: it lasted as long as they together and ended with the
    last of them, when its file was written. None without files.

    Raises
    ------
    InputError
        If a file is no benchmark file.
    """
    files = {stage: path for stage, one in stages.items() if (path := Path(one)).is_file()}
    if not files:
        return {}, None
    measured = {stage: _measured(path) for stage, path in files.items()}
    seconds = sum(one.get("seconds", 0) for one in measured.values())
    work = Work(seconds, max(path.stat().st_mtime for path in files.values()))
    return {
        f"{GROUP}{stage}_{name}": value
        for stage, one in measured.items()
        for name, value in one.items()
    }, work


def _measured(path: Path) -> dict[str, float]:
    """Numbers of a stage's last attempt, without those that Snakemake could not measure."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            *_, row = csv.DictReader(file, delimiter="\t")
        texts = {"seconds": row["s"]} | {name: row.get(one) for one, name in COLUMNS.items()}
        return {name: float(text) for name, text in texts.items() if text not in ABSENT}
    except (KeyError, ValueError):
        raise InputError(
            f"{path}: not a benchmark file of Snakemake. Remove it; it is written when its stage "
            "runs."
        ) from None
