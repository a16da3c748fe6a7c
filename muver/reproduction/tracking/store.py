"""Opening MLflow's store, so that several processes can and none leaves it half made."""

import contextlib
import glob
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import mlflow.db
import requests
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, ProgrammingError, SQLAlchemyError

from muver.io.errors import InputError
from muver.io.files import atomic_path
from muver.io.locks import locked
from muver.io.progress import logger
from muver.reproduction.tracking.entries import Entry

DEFAULT_URI = "sqlite:///mlflow.db"
PATIENCE = 5  # seconds in which a server must answer its first call
# No server, or no driver of the database, included.
UNUSABLE = (MlflowException, SQLAlchemyError, requests.RequestException, ModuleNotFoundError)
for noisy in ("mlflow", "alembic"):
    logging.getLogger(noisy).setLevel(logging.WARNING)


@contextlib.contextmanager
def open_store() -> Iterator[tuple[MlflowClient, Path | None]]:
    """Open the store named by ``MLFLOW_TRACKING_URI``, or ``mlflow.db`` in this folder.

    With a client comes the folder for artifacts: ``mlartifacts`` beside an SQLite file, None where
    a server decides. A new SQLite store is made under another name and renamed: two processes that
    make one at once, or one that is killed meanwhile, would leave a store that never works again. A
    lock beside it lets one process write at a time.
    """
    uri = store_uri()
    try:
        if not uri.startswith("sqlite:///"):
            if uri.startswith(("http://", "https://")):
                requests.get(f"{uri}/health", timeout=PATIENCE)
            yield patiently(MlflowClient, uri), None
            return
        database = sqlite_file(uri)
        artifacts = database.parent / "mlartifacts"
        with _lock(artifacts / ".lock"):
            if not database.exists():
                for left in database.parent.glob(f".{glob.escape(database.name)}.*.tmp*"):
                    left.unlink()  # by a process that was killed, as the lock is ours
                with atomic_path(database) as temporary:
                    mlflow.db.upgrade.callback(f"sqlite:///{temporary}")
                    # "0" is MLflow's empty experiment "Default".
                    MlflowClient(f"sqlite:///{temporary}").delete_experiment("0")
            yield MlflowClient(f"sqlite:///{database}"), artifacts
    except UNUSABLE as error:
        raise InputError(
            f"MLflow's store {store_name()} cannot be used: {str(error).strip()} Tables that are "
            "made stay as they are and can be recorded later (snakemake --cores all record). Set "
            "MLFLOW_TRACKING_URI to another store, or tracking.enabled to false in params.yaml."
        ) from error


def patiently(call: Callable, *arguments: object):
    """Call a database, again while another process puts the same tables or tags into it."""
    for _ in range(300):  # a minute
        try:
            return call(*arguments)
        except (MlflowException, IntegrityError, ProgrammingError) as error:
            why = error.__cause__ if isinstance(error, MlflowException) else error
            if not isinstance(why, (IntegrityError, ProgrammingError)):
                raise
        time.sleep(0.2)
    return call(*arguments)


def store_uri() -> str:
    """The address of the store that is used now."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def store_name() -> str:
    """The address of the store that is used now, without user and password."""
    return re.sub(r"(?<=://)[^/@]+@", "", store_uri())


def sqlite_file(uri: str) -> Path:
    """The file that an SQLite address names; an InputError if it names none."""
    database = make_url(uri).database
    if not database:
        raise InputError(f"MLFLOW_TRACKING_URI: {uri} names no file: sqlite:///mlflow.db does.")
    return Path(database).absolute()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        raise InputError(
            f"{path.parent}: cannot be written ({error.strerror}). MLflow's store needs a folder "
            "that can be: set MLFLOW_TRACKING_URI to one."
        ) from error
    with locked(path, wait=True):
        yield


# Opens it as trained models and not as traces of a chat. MLflow has no Python name for the tag.
KIND = {"mlflow.experimentKind": "custom_model_development"}
VIEW = "mlflow.sharedViewState.recall"  # MLflow has no Python name for it
# Columns that are always there, with their width in pixels.
FIRST = {"attributes.`Run Name`": 240, "runDateAndNestInfo": 150, "duration": 80}
IN_VIEW = "viewStateShareKey=recall"  # what follows the address of an experiment's runs


def open_experiment(client: MlflowClient, name: str, artifacts: Path | None) -> str:
    """Return the id of an experiment, made or restored if need be.

    MLflow keeps the absolute path of an experiment's artifacts. After the project's folder was
    moved, the old experiment is set aside under another name and a new one is made, so that
    nothing is written where the folder used to be.
    """
    location = None if artifacts is None else (artifacts / name).as_uri()
    found = client.get_experiment_by_name(name)
    if found and location and _was_moved(found.artifact_location, location):
        aside = f"{name} (before the move, {found.experiment_id})"
        client.rename_experiment(found.experiment_id, aside)
        logger.info("the folder was moved: experiment %s is now called %r", name, aside)
        found = None
    if found is None:
        try:
            return client.create_experiment(name, artifact_location=location, tags=KIND)
        except MlflowException as error:
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(name)  # another recorder made it meanwhile
    if found.lifecycle_stage != "active":
        client.restore_experiment(found.experiment_id)
        logger.info("experiment %s had been deleted; restored it", name)
    return found.experiment_id


def _was_moved(found: str, ours: str) -> bool:
    """Whether artifacts lie in a folder of our making that is not the one we use now."""
    return found != ours and found.split("/")[-2:] == ours.split("/")[-2:]


def show_recall(client: MlflowClient, experiment: str, entries: Sequence[Entry]) -> None:
    """Have MLflow's list of an experiment's runs show recall, in the rows' order.

    Columns are as wide as their names, of which MLflow would show all/recall_at_ alone.
    """
    shown = (name for entry in entries for part in entry.tree() for name in part.columns)
    columns = {name: 20 + 7 * len(name.split("`")[1]) for name in shown}
    state = {
        "orderByKey": "tags.`position`",
        "orderByAsc": True,
        "selectedColumns": list(columns),
        "columnOrder": [*FIRST, *columns],  # without it pages leave the widths aside
        "columnWidths": {**FIRST, **columns},
        "runsHiddenMode": "SHOW_ALL",  # charts of all rows, not of the first ten
    }
    created = client.get_experiment(experiment).creation_time
    view = json.dumps({"name": "Recall", "createdAt": created, "state": json.dumps(state)})
    for name, value in {VIEW: view, **KIND}.items():
        patiently(client.set_experiment_tag, experiment, name, value)
