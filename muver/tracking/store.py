"""Opening MLflow's store, so that several processes can and none leaves it half made."""

import contextlib
import logging
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import mlflow.db
import mlflow.store
import requests
import sqlalchemy
from alembic.config import Config
from alembic.script import ScriptDirectory
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from mlflow.version import VERSION
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from muver.io.errors import InputError
from muver.io.files import atomic_path
from muver.io.locks import lock

DEFAULT_URI = "sqlite:///mlflow.db"
PATIENCE = 5  # seconds in which a server must answer its first call
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
        If the store cannot be used, with what MLflow says.

    Notes
    -----
    A new SQLite store is made under another name and renamed: two processes that make one at
    once, or one that is killed meanwhile, would leave a store that never works again. A lock
    beside it lets one process write at a time.
    """
    uri = store_uri()
    try:
        if not uri.startswith("sqlite:///"):
            yield _connect(uri), None
            return
        database = sqlite_file(uri)
        artifacts = database.parent / "mlartifacts"
        with _lock(artifacts / ".lock"):
            if not database.exists():
                _create(database)
            check_revision(uri, database)
            yield MlflowClient(f"sqlite:///{database}"), artifacts
    except (MlflowException, SQLAlchemyError) as error:
        raise _unusable(error) from error


def _connect(uri: str) -> MlflowClient:
    """A client of a server, or of another database, that has answered once.

    A server that does not answer is given up after seconds. Later calls, such as uploads, may take
    longer.
    """
    try:
        if uri.startswith(("http://", "https://")):
            requests.get(f"{uri}/health", timeout=PATIENCE)
        client = MlflowClient(uri)
        client.search_experiments(max_results=1)
        return client
    except (ModuleNotFoundError, requests.RequestException) as error:  # no driver, or no server
        raise _unusable(error) from error


def store_uri() -> str:
    """The address of the store that is used now."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def store_name() -> str:
    """The address of the store that is used now, without user and password."""
    return re.sub(r"(?<=://)[^/@]+@", "", store_uri())


def _create(database: Path) -> None:
    """Make an SQLite store without MLflow's empty experiment "Default".

    The file is flushed to the disk once, when it is whole: 8 times as quick, and after a power cut
    a half-made store has no name yet.
    """

    def quickly(connection, _):
        connection.execute("PRAGMA synchronous = OFF")

    with atomic_path(database) as temporary:
        sqlalchemy.event.listen(Engine, "connect", quickly)
        try:
            mlflow.db.upgrade.callback(f"sqlite:///{temporary}")
            MlflowClient(f"sqlite:///{temporary}").delete_experiment("0")
        finally:
            sqlalchemy.event.remove(Engine, "connect", quickly)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())


def sqlite_file(uri: str) -> Path:
    """The file that an SQLite address names; an InputError if it names none."""
    database = make_url(uri).database
    if not database:
        raise InputError(f"MLFLOW_TRACKING_URI: {uri} names no file: sqlite:///mlflow.db does.")
    return Path(database).absolute()


def _unusable(error: Exception) -> InputError:
    return InputError(
        f"MLflow's store {store_name()} cannot be used: {str(error).strip()} Tables that are made "
        "stay as they are and can be recorded later (snakemake --cores all record). Set "
        "MLFLOW_TRACKING_URI to another store, or tracking.enabled to false in params.yaml."
    )


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a lock until the block ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a")  # noqa: SIM115
    except OSError as error:
        raise InputError(
            f"{path.parent}: cannot be written ({error.strerror}). MLflow's store needs a folder "
            "that can be: set MLFLOW_TRACKING_URI to one."
        ) from error
    with file:
        lock(file, path, wait=True)
        yield


def check_revision(uri: str, database: Path) -> None:
    """Compare an SQLite store's revision with the one that this MLflow works on.

    MLflow itself brings some older stores up to date without asking, after which the MLflow that
    made them can no longer open them.

    Raises
    ------
    InputError
        If the store is older or newer; says which, and what to do. A file that is no store of
        MLflow is left for MLflow to refuse.
    """
    try:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            row = connection.execute("select version_num from alembic_version").fetchone()
    except sqlite3.Error:
        return
    schemas = known_schemas()
    ours = schemas.get_current_head()
    if row is None or row[0] == ours:
        return
    age, cure = "a newer", "use that MLflow, or set MLFLOW_TRACKING_URI to another store"
    if row[0] in {script.revision for script in schemas.walk_revisions()}:
        age = "an older"
        cure = (
            f"copy {database.name}, then run `mlflow db upgrade {uri}`; or set MLFLOW_TRACKING_URI "
            "to another store"
        )
    raise InputError(
        f"{database}: made by {age} MLflow (schema {row[0]}; MLflow {VERSION} here has {ours}). "
        f"Nothing was changed. To go on, {cure}. Tables that are made stay as they are and can be "
        "recorded later (snakemake --cores all record)."
    )


def known_schemas() -> ScriptDirectory:
    """The steps from one schema to the next that this MLflow knows."""
    folder, config = Path(mlflow.store.__file__).parent / "db_migrations", Config()
    config.set_main_option("script_location", str(folder))
    return ScriptDirectory.from_config(config)
