"""The cost of jobs, from Snakemake's benchmark files, and of each row of a table.

The latter is a CSV beside the table: training, vectors, time of ranking. Times are of the jobs that
ran here, and no part of a result that is the same everywhere.
"""

import csv
from contextlib import suppress
from pathlib import Path

from muver.io.files import read_json, write_text
from muver.io.typed import Settings, Some
from muver.reproduction.tables.cells import Page, Section
from muver.reproduction.tables.paper import NOTES
from muver.reproduction.tables.render import to_csv, to_markdown
from muver.retriever.evaluation.records import Evaluation, read_evaluation

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
    numbers = {}
    for column, name in COLUMNS.items():
        with suppress(ValueError, TypeError):  # "-", "NA" or nothing
            numbers[name] = float(last.get(column))
    return numbers


class CostRow(Settings):
    """A row of a table: its evaluation, its run's manifest, and benchmark files of Snakemake."""

    method: str
    evaluation: str
    manifest: str
    trainings: list[str]
    ranking: str


class Costs(Settings):
    """What ``muver stage costs`` takes."""

    caption: str
    rows: Some[CostRow]


def write_costs(out: Path, settings: Costs) -> None:
    """Write what each row of a table costs on this machine: training, vectors, ranking.

    Writes ``out`` (.csv), and beside it the table for people (.md).
    """
    costs = Section.of("", NOTES["costs"], [_cells(row) for row in settings.rows])
    write_text(out, to_csv(costs))
    write_text(out.with_suffix(".md"), to_markdown(Page(settings.caption, [costs])))


def _cells(row: CostRow) -> dict[str, str]:
    scored: Evaluation = read_evaluation(Path(row.evaluation))
    counts = read_json(Path(row.manifest)).get("counts") or {}
    cores = [_core_seconds(Path(training)) for training in row.trainings]
    seconds = measured(Path(row.ranking)).get("seconds")
    views = scored.views_per_entity
    return {
        "method": row.method,
        "core-seconds of training": "" if None in cores else f"{sum(cores):.0f}",
        "vectors": "" if views is None else f"{views:.1f}",
        "bytes": f"{counts['bytes'] / counts['entities']:.0f}" if "bytes" in counts else "",
        "mentions a second": f"{scored.mentions / seconds:.1f}" if seconds else "",
    }


def _core_seconds(path: Path) -> float | None:
    """Seconds of a job times the processors that it kept busy; None if nobody measured them."""
    numbers = measured(path)
    if not {"seconds", "mean_load_percent"} <= numbers.keys():
        return None
    return numbers["seconds"] * numbers["mean_load_percent"] / 100
