"""What Snakemake measured of a finished job: its benchmark file."""

import csv
from contextlib import suppress
from pathlib import Path

# Columns of the file and what they are called here: seconds, the largest memory in MiB, and
# processors kept busy on average, in percent of one.
COLUMNS = {"s": "seconds", "max_rss": "max_rss_mb", "mean_load": "mean_load_percent"}


def measured(path: Path) -> dict[str, float]:
    """Numbers of the last attempt by :data:`COLUMNS`' names, as far as there are any.

    Results that were pulled from elsewhere have no file, a stop may have cut it off, and of a job
    of milliseconds Snakemake knows nothing but its time.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            *_, last = csv.DictReader(file, delimiter="\t")
    except (OSError, ValueError):
        return {}
    found = {}
    for column, name in COLUMNS.items():
        with suppress(ValueError, TypeError):  # "-", "NA" or nothing
            found[name] = float(last.get(column))
    return found
