"""Recording several tables, with a choice of what happens where it cannot be done."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import logger
from muver.tracking.record import record, record_grid

SUFFIX = ".failed"  # beside a table's list of runs, in place of .csv


def attempt(
    calls: Sequence[argparse.Namespace],
    keep_going: bool,
    one: Callable[[argparse.Namespace], None] | None = None,
) -> None:
    """Record each table; one that cannot be does not keep the others from it.

    Parameters
    ----------
    calls
        The arguments of ``muver record``, one a table.
    keep_going
        Whatever goes wrong is said and left in a file beside the table's list of runs; the command
        ends well, so that a rule that made the table keeps it. The next recording that works
        removes the file.
    one
        What records one table; for tests.

    Raises
    ------
    InputError
        Without ``keep_going``, at the end, if a table could not be recorded.
    """
    failed = []
    for call in calls:
        if call.out is None:
            raise InputError("--out: needed, the CSV file of the runs.")
        marker = call.out.with_suffix(SUFFIX)
        try:
            (one or _record)(call)
            marker.unlink(missing_ok=True)
        except Exception as error:
            if not keep_going and not isinstance(error, InputError):
                raise
            name = (call.table or call.grid).stem
            said = str(error) or type(error).__name__
            failed.append(f"{name}: {said}")
            if keep_going:
                _say(name, said, marker, None if isinstance(error, InputError) else error)
    if failed and not keep_going:
        raise InputError("\n".join(dict.fromkeys(failed)))


def _record(call: argparse.Namespace) -> None:
    if call.grid:
        record_grid(call.grid, call.logs, call.out, call.settings, call.benchmarks)
    else:
        record(
            call.table, call.evaluations, call.runs, call.artifacts, call.out, call.settings,
            call.benchmarks, call.figures,
        )  # fmt: skip


def _say(name: str, said: str, marker: Path, error: Exception | None) -> None:
    logger.error("%s IS NOT IN MLFLOW: %s\nThe table itself is whole.", name, said, exc_info=error)
    write_text(marker, f"{said}\n")
