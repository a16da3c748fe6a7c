"""Opening the tracking store, so that several of us can and nothing is left half made."""

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import mlflow.db
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from muver.errors import InputError
from muver.files import atomic_path
from muver.progress import logger

DEFAULT_URI = "sqlite:///mlflow.db"
PATIENCE = 5  # seconds in which a server must answer for the first time
for noisy in ("mlflow", "alembic"):
    logging.getLogger(noisy).setLevel(logging.WARNING)


@contextlib.contextmanager
def open_store() -> Iterator[tuple[MlflowClient, Path | None]]:
    """Open the store named by ``MLFLOW_TRACKING_URI``, or ``mlflow.db`` in this folder.

    Yields
    ------
    A client, and the folder for artifacts: ``mlartifacts`` beside an SQLite file, None where a
    server decides.

    Raises
    ------
    InputError
        With what MLflow says, if the store cannot be used.

    Notes
    -----
    A new SQLite store is made under another name and renamed: two processes that make one at
    once, or one that is killed on the way, would leave a store that never works again. A lock
    beside it lets one of us write at a time.
    """
    uri = os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI
    try:
        if not uri.startswith("sqlite:///"):
            yield _connect(uri), None
            return
        database = _sqlite_file(uri)
        artifacts = database.parent / "mlartifacts"
        with _lock(artifacts / ".lock"):
            if not database.exists():
                with atomic_path(database) as temporary:
                    mlflow.db.upgrade.callback(f"sqlite:///{temporary}")
            yield MlflowClient(f"sqlite:///{database}"), artifacts
    except (MlflowException, SQLAlchemyError) as error:
        raise _unusable(uri, error) from error


def _connect(uri: str) -> MlflowClient:
    """A client of a server or of another database, which has answered once.

    A server that cannot be reached, or never answers, is given up after seconds; later calls, an
    upload for instance, may take their time.
    """
    limits = {"MLFLOW_HTTP_REQUEST_TIMEOUT": str(PATIENCE), "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1"}
    before = {name: os.environ.get(name) for name in limits}
    os.environ.update(limits)
    try:
        client = MlflowClient(uri)
        client.search_experiments(max_results=1)
        return client
    except ModuleNotFoundError as error:  # a database's driver
        raise _unusable(uri, error) from error
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _sqlite_file(uri: str) -> Path:
    database = make_url(uri).database
    if not database:
        raise InputError(f"MLFLOW_TRACKING_URI: {uri} names no file: sqlite:///mlflow.db does.")
    return Path(database).absolute()


def _unusable(uri: str, error: Exception) -> InputError:
    return InputError(
        f"MLflow's store {uri} cannot be used: {str(error).strip()} Tables that are made stay as "
        "they are and can be recorded later. Set MLFLOW_TRACKING_URI to another store, or "
        "tracking.enabled to false in params.yaml."
    )


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
        return client.create_experiment(name, artifact_location=location)
    if found.lifecycle_stage != "active":
        client.restore_experiment(found.experiment_id)
        logger.info("experiment %s had been deleted; restored it", name)
    return found.experiment_id


def _was_moved(found: str, ours: str) -> bool:
    """Whether artifacts lie in a folder of our making that is not the one we use now."""
    return found != ours and found.split("/")[-2:] == ours.split("/")[-2:]


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(
            f"{path.parent}: cannot be written ({error.strerror}). MLflow's store needs a folder "
            "that can be: set MLFLOW_TRACKING_URI to one."
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # lets the lock go
