"""Opening MLflow's store, so that several processes can and none leaves it half made."""

import contextlib
import glob
import logging
import os
import re
import time
from collections.abc import Callable, Iterator
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
