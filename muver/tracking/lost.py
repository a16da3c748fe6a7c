"""Telling of rows whose run is gone: they were recorded again."""

import csv
from collections.abc import Mapping
from pathlib import Path

from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from muver.io.progress import logger
from muver.tracking.store import store_name


def tell_lost(client: MlflowClient, listed: Path, now: Mapping[str, str], made: set[str]) -> None:
    """Say which rows were recorded again because their run had been removed from the store.

    Parameters
    ----------
    listed
        The list that the last recording wrote, if any.
    now
        The run of each row key.
    made
        The runs that were not there before.
    """
    found: dict[str, list[str]] = {}
    for line in read_list(listed):
        before = line.get("run_id")
        if before and now.get(line.get("row_key", "")) in made:
            store = line.get("store") or store_name()
            why = _why(client, before) if store == store_name() else f"is in the store {store}"
            if why:
                found.setdefault(why, []).append(f"{line['method']} ({before})")
    for why, rows in found.items():
        logger.warning("recorded again, because the run %s: %s", why, ", ".join(rows))


def _why(client: MlflowClient, run_id: str) -> str:
    """How a run came to be gone; empty where it was replaced, or is there."""
    try:
        run = client.get_run(run_id)
    except MlflowException:
        return "listed before is not in this store"
    deleted = run.info.lifecycle_stage == "deleted"
    return "had been deleted by hand" if deleted and "replaced_by" not in run.data.tags else ""


def read_list(path: Path) -> list[dict[str, str]]:
    """A list of runs as `muver record` writes it; empty if there is none."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
