"""The list of a table's runs: a CSV file that ``muver record`` writes and others read."""

import csv
import io
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from muver.io.files import write_text
from muver.io.progress import logger

if TYPE_CHECKING:  # MLflow takes two seconds to import, which are saved where tracking is off
    from mlflow import MlflowClient


class Listed(NamedTuple):
    """A line: the run of a row key, its address below the server's, and the store it is in."""

    row_key: str
    method: str
    run_id: str
    experiment_id: str
    address: str
    store: str


def write_list(path: Path, lines: Iterable[Listed]) -> None:
    """Write the runs of a table in the order of its rows."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([Listed._fields, *lines])
    write_text(path, text.getvalue())


def read_list(path: Path) -> list[dict[str, str]]:
    """The lines of a list by the names of :class:`Listed`; empty if there is no such file."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def warn_of_lost(
    client: "MlflowClient", path: Path, lines: Iterable[Listed], new: Collection[str]
) -> None:
    """Warn of rows that were recorded again because their run was no longer in the store.

    ``path`` is the list of the last recording, ``lines`` and ``new`` are what this recording lists
    and the ids of the runs that it made.
    """
    recorded = {line.row_key for line in lines if line.run_id in new}
    lost: dict[str, list[str]] = {}
    for line in read_list(path):
        run = line.get("run_id")
        if run and line.get("row_key") in recorded and (why := _why_lost(client, line)):
            lost.setdefault(why, []).append(f"{line['method']} ({run})")
    for why, rows in lost.items():
        logger.warning("recorded again, because the run %s: %s", why, ", ".join(rows))


def _why_lost(client: "MlflowClient", line: dict[str, str]) -> str:
    """Why a listed run is gone; empty if it is there or was replaced."""
    from mlflow.exceptions import MlflowException

    from muver.tracking.store import store_name

    store = line.get("store") or store_name()
    if store != store_name():
        return f"is in the store {store}"
    try:
        run = client.get_run(line["run_id"])
    except MlflowException:
        return "listed before is not in this store"
    deleted = run.info.lifecycle_stage == "deleted"
    return "had been deleted by hand" if deleted and "replaced_by" not in run.data.tags else ""
