"""The record stage: tables, and the grid, to runs of an experiment."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import logger
from muver.reproduction.tables.records import GridResult, PointRow, Table, read_result
from muver.reproduction.tables.render import csv_text
from muver.reproduction.tables.tables_settings import logs_by_trial
from muver.reproduction.tracking import describe
from muver.reproduction.tracking.entries import (
    Data,
    Entry,
    Recording,
    Recordings,
    entries,
    of_settings,
    parent,
)

FAILED = ".failed"  # suffix of the file beside a table's list of runs that says why it failed
# Columns of a table's list of runs; the address is below the server's
LISTED = ("row_key", "method", "run_id", "experiment_id", "address", "store")


def record_all(
    settings: Recordings, keep_going: bool = False, *, config: Iterable[tuple[str, Any]] = ()
) -> None:
    """Record each row of a table, or each point of the grid, as a run of MLflow.

    One that cannot be recorded does not stop the others.

    With ``keep_going``, whatever goes wrong is logged and written to a file beside the table's list
    of runs, and the command ends well, so that a rule that made the table keeps it. The next
    recording that works removes the file. ``config`` are the settings of the call of Snakemake that
    made the tables, as it takes them.
    """
    failed = []
    for recording in settings.tables:
        marker = Path(recording.out).with_suffix(FAILED)
        try:
            record(replace(recording, config=dict(config)))
            marker.unlink(missing_ok=True)
        except Exception as error:
            expected = isinstance(error, InputError)
            if not (expected or keep_going):
                raise
            name, why = Path(recording.table).stem, str(error) or type(error).__name__
            failed.append(f"{name}: {why}")
            if keep_going:
                text = "%s IS NOT IN MLFLOW: %s\nThe table itself is whole."
                logger.error(text, name, why, exc_info=None if expected else error)
                write_text(marker, f"{why}\n")
    if failed and not keep_going:
        raise InputError("\n".join(dict.fromkeys(failed)))


def record(settings: Recording) -> None:
    """Record each row of a table as an MLflow run, and list which run is which row's.

    A row with several seeds is a parent with one run a seed under it; the rows of a sweep, and the
    points of the grid, stand under one as well.
    """
    path = Path(settings.table)
    source = path.with_suffix(".csv")
    table = read_result(path, Table | GridResult, "a table of rows")
    if isinstance(table, GridResult):
        recorded = [grid_entry(table, source, settings)]
    else:
        recorded = entries(table, source.as_posix(), settings)
    if settings.enabled:
        lines = _put(recorded, settings.experiment or path.stem)
    else:
        logger.info("tracking is off (tracking.enabled): no runs recorded")
        lines = []
    write_text(Path(settings.out), csv_text(LISTED, lines))


def grid_entry(grid: GridResult, source: Path, settings: Recording) -> Entry:
    """What is recorded of a grid; ``source`` is its CSV, beside .md and .json."""
    logs = logs_by_trial([row.system for row in grid.rows], list(map(Path, settings.logs)))
    points = [_point(row, grid, logs[row.system], source, settings) for row in grid.rows]
    chosen = next(point for point, row in zip(points, grid.rows, strict=True) if row.chosen)
    return parent(
        points,
        {"chosen": grid.chosen, "chosen_row_key": chosen.key},
        key=grid.row_key,
        name=f"grid of {', '.join(grid.models)}",
        metrics={**chosen.metrics, "points": len(points)},
        parameters=chosen.parameters,
        note=describe.note(grid.row_key, source.as_posix(), settings.config),
        files=[(source.with_suffix(suffix), "grid") for suffix in (".csv", ".md", ".json")],
    )


def _point(row: PointRow, grid: GridResult, log: Path, source: Path, settings: Recording) -> Entry:
    validation = f"best/validation_recall_at_{grid.cutoff}"
    return Entry(
        key=row.row_key,
        name=row.system,
        tags={
            **describe.precision(row.settings),
            "method": row.method,
            "dataset": grid.dataset,
            "data_fingerprint": grid.fingerprint,
            "system": row.system,
            "chosen": str(row.chosen).lower(),
        },
        metrics={validation: row.recall, "best/step": row.step},
        note=describe.note(row.row_key, source.as_posix(), settings.config),
        source=source.as_posix(),
        data=Data(grid.dataset, grid.fingerprint, settings.source, "val", {}),
        columns=[
            describe.column(validation),
            describe.column("best/step"),
            *(f"params.`model.training.{key}`" for key in row.values),
        ],
        hashed={"": log},
        files=[(log, "training")],
        **of_settings(row.settings, [log], settings.benchmarks.get(row.system, {})),
    )


def _put(entries: Sequence[Entry], experiment: str) -> list[tuple[str, ...]]:
    """Put entries into an experiment; the lines of the list of runs."""
    # MLflow takes two seconds to import, which are saved where tracking is off.
    from muver.reproduction.tracking.runs import Recorder
    from muver.reproduction.tracking.store import (
        open_experiment,
        open_store,
        show_recall,
        store_name,
    )

    with open_store() as (client, folder):
        number = open_experiment(client, experiment, folder)
        recorder = Recorder(client, number, shared=folder is None)
        # From the last row, for the same order as Recorder.put has below a parent.
        for position, entry in reversed(list(enumerate(entries, start=1))):
            recorder.put(entry, f"{position:02d}")
        show_recall(client, number, entries)
        pages = f"/#/experiments/{number}/runs/{{}}?workflowType=machine_learning"
        # Last, as another recorder may have been the first to finish a row.
        runs = [(entry, recorder.run_of(entry)) for top in entries for entry in top.tree()]
        return [
            (entry.key, entry.name, run, number, pages.format(run), store_name())
            for entry, run in runs
        ]
