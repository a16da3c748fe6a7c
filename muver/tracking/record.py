"""The record stage: tables to runs of an experiment."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json, write_text
from muver.io.progress import logger
from muver.io.typed import read
from muver.tracking.entries import entries
from muver.tracking.entry import Entry
from muver.tracking.files import Files
from muver.tracking.grid import grid_entry
from muver.tracking.listed import Listed, warn_of_lost, write_list
from muver.tracking.settings import Recording

FAILED = ".failed"  # suffix of the file beside a table's list of runs that says why it failed
SETTINGS = {"enabled": True, "source": "", "options": ""}


def record_all(calls: Sequence[argparse.Namespace], keep_going: bool) -> None:
    """Record several tables; one that cannot be recorded does not stop the others.

    Parameters
    ----------
    calls
        The arguments of ``muver record``, one a table.
    keep_going
        Whatever goes wrong is logged and written to a file beside the table's list of runs, and
        the command ends well, so that a rule that made the table keeps it. The next recording that
        works removes the file.

    Raises
    ------
    InputError
        Without ``keep_going``, at the end, if a table could not be recorded.
    """
    failed = []
    for call in calls:
        if call.out is None:
            raise InputError("--out: needed, the CSV file of the runs.")
        marker = call.out.with_suffix(FAILED)
        try:
            record_one(call)
            marker.unlink(missing_ok=True)
        except Exception as error:
            expected = isinstance(error, InputError)
            if not (expected or keep_going):
                raise
            name, why = (call.table or call.grid).stem, str(error) or type(error).__name__
            failed.append(f"{name}: {why}")
            if keep_going:
                text = "%s IS NOT IN MLFLOW: %s\nThe table itself is whole."
                logger.error(text, name, why, exc_info=None if expected else error)
                write_text(marker, f"{why}\n")
    if failed and not keep_going:
        raise InputError("\n".join(dict.fromkeys(failed)))


def record_one(call: argparse.Namespace) -> None:
    """Record one table or grid, from the arguments of ``muver record``."""
    if call.grid:
        record_grid(call.grid, call.logs, call.out, call.settings, call.benchmarks)
    else:
        record(
            call.table, call.evaluations, call.runs, call.artifacts, call.out, call.settings,
            call.benchmarks, call.figures,
        )  # fmt: skip


def record(
    table: Path,
    evaluations: Sequence[Path],
    runs: Sequence[Path],
    artifacts: Sequence[tuple[str, Path]],
    out: Path,
    settings: Mapping[str, Any],
    benchmarks: Sequence[tuple[str, Path]] = (),
    figures: Sequence[Path] = (),
) -> None:
    """Record each row of a table as one MLflow run, and list which run is which row's.

    A row with several seeds is a parent with one run a seed under it; the rows of a sweep stand
    under one as well. What is there already is left as it is. A run with the same key and other
    content (made on another machine), or one that a crash left unfinished, is marked, deleted and
    made anew.

    Parameters
    ----------
    table
        JSON of the table.
    evaluations, runs
        Of every system on every set, those of further seeds among them, in the same order.
    artifacts
        Further files of a system, such as its training log, whose curves are recorded as well.
    settings
        Those of :class:`muver.tracking.settings.Recording`.
    benchmarks
        ``system:stage`` and Snakemake's benchmark file of that stage.
    figures
        Of the table, kept with the parent of a sweep.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, a run file is missing or was changed
        after it was scored, or the store cannot be used.
    """
    given = read(Recording, settings)
    files = Files(evaluations, runs, artifacts, benchmarks, figures)
    source = table.with_suffix(".csv").as_posix()
    _record(entries(read_json(table), source, files, given), given, out, table)


def record_grid(
    grid: Path,
    logs: Sequence[Path],
    out: Path,
    settings: Mapping[str, Any],
    benchmarks: Sequence[tuple[str, Path]] = (),
) -> None:
    """Record the grid as one run with the chosen point, and each point as a run under it.

    Parameters
    ----------
    grid
        JSON of the grid; .csv and .md lie beside it.
    logs
        Training logs, each named after its point.
    settings, benchmarks
        As of :func:`record`.
    """
    given = read(Recording, settings)
    source = grid.with_suffix(".csv")
    entry = grid_entry(read_json(grid), source, logs, benchmarks, given)
    _record([entry], given, out, grid)


def _record(found: Sequence[Entry], settings: Recording, out: Path, table: Path) -> None:
    if not settings.enabled:
        logger.info("tracking is off (tracking.enabled): no runs recorded")
        write_list(out, [])
        return
    from muver.tracking.experiments import describe_experiment, open_experiment
    from muver.tracking.runs import Recorder
    from muver.tracking.store import open_store, store_name

    lines: list[Listed] = []
    with open_store() as (client, folder):
        experiment = open_experiment(client, settings.experiment or table.stem, folder)
        recorder = Recorder(client, experiment)
        # The pages show the newest run first: recorded from the last row, they stand in order.
        for position, entry in reversed(list(enumerate(found, start=1))):
            lines[:0] = [
                Listed(one.key, one.name, run, experiment, _address(experiment, run), store_name())
                for one, run in recorder.put(entry, position)
            ]
        describe_experiment(client, experiment, table)
        warn_of_lost(client, out, lines, recorder.new)
    write_list(out, lines)


def _address(experiment: str, run: str) -> str:
    return f"/#/experiments/{experiment}/runs/{run}?workflowType=machine_learning"
