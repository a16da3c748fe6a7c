"""Telling of rows whose run is gone: they were recorded again."""

import csv
from collections.abc import Mapping
from pathlib import Path

from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from muver.progress import logger
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
    for line in _lines(listed):
        before, run = line.get("run_id"), now.get(line.get("row_key", ""))
        if run not in made or before is None:
            continue
        if (store := line.get("store") or store_name()) != store_name():
            logger.warning("%s: its run was in the store %s", line["method"], store)
        elif why := _why(client, before):
            logger.warning("%s: its run %s %s; recorded again", line["method"], before, why)


def _why(client: MlflowClient, run_id: str) -> str:
    """How a run came to be gone; empty where it was replaced, or is there."""
    try:
        run = client.get_run(run_id)
    except MlflowException:
        return "is not in this store, or was removed from it for good"
    deleted = run.info.lifecycle_stage == "deleted"
    return "had been deleted" if deleted and "replaced_by" not in run.data.tags else ""


def _lines(listed: Path) -> list[dict[str, str]]:
    if not listed.is_file():
        return []
    with open(listed, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
