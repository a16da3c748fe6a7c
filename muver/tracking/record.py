"""The record stage: tables to runs of an experiment."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.checking import with_defaults
from muver.files import read_json, write_text
from muver.progress import logger
from muver.tracking.entry import Entry
from muver.tracking.grid import grid_entry
from muver.tracking.rows import Files, entries

HEADER = ("row_key", "method", "run_id", "experiment_id", "address")


def record(
    table: Path,
    evaluations: Sequence[Path],
    runs: Sequence[Path],
    artifacts: Sequence[tuple[str, Path]],
    out: Path,
    settings: dict[str, Any],
) -> None:
    """Record each row of a table as one MLflow run, and write which run is which row's.

    A row with several seeds is a parent with one run a seed under it. What is there already is
    left as it is. A run with the same key and other numbers (made on another machine), or one
    that a crash left unfinished, is deleted and made anew.

    Parameters
    ----------
    table
        JSON of the table.
    evaluations, runs
        Of every system, those of further seeds among them; runs are named after their systems.
    artifacts
        Further files of a system, such as its training log, whose curves are recorded as well.
    settings
        ``experiment``: its name, by default the table's. ``enabled``: if false nothing is
        recorded, and ``out`` has its header only.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, a run file is missing, or the store
        cannot be used.
    """
    files = Files(evaluations, runs, artifacts)
    found = entries(read_json(table), table.with_suffix(".csv").as_posix(), files)
    _record(found, with_defaults(settings, {"experiment": table.stem, "enabled": True}), out)


def record_grid(grid: Path, logs: Sequence[Path], out: Path, settings: dict[str, Any]) -> None:
    """Record the grid as one run with the chosen point, and each point as a run under it.

    Parameters
    ----------
    grid
        JSON of the grid; .csv and .md lie beside it.
    logs
        Training logs, each named after its point.
    settings
        As of :func:`record`.
    """
    entry = grid_entry(read_json(grid), grid.with_suffix(".csv"), logs)
    _record([entry], with_defaults(settings, {"experiment": grid.stem, "enabled": True}), out)


def _record(found: Sequence[Entry], settings: dict[str, Any], out: Path) -> None:
    lines: list[Sequence[str]] = []
    if settings["enabled"]:
        # Two seconds of imports, saved where tracking is off.
        from muver.tracking.runs import Recorder
        from muver.tracking.store import open_experiment, open_store

        with open_store() as (client, folder):
            experiment = open_experiment(client, settings["experiment"], folder)
            recorder = Recorder(client, experiment)
            # The UI shows the newest run first: recorded from the last row, they stand in order.
            for entry in reversed(found):
                lines[:0] = [
                    (one.key, one.name, run, experiment, _address(experiment, run))
                    for one, run in recorder.put(entry)
                ]
    else:
        logger.info("tracking is off (tracking.enabled): no runs recorded")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *lines])
    write_text(out, text.getvalue())


def _address(experiment: str, run: str) -> str:
    return f"/#/experiments/{experiment}/runs/{run}?workflowType=machine_learning"
