"""Refusing a database that another MLflow made, before this one changes it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import mlflow.store
from alembic.config import Config
from alembic.script import ScriptDirectory
from mlflow.version import VERSION

from muver.io.errors import InputError

FOLDER = "db_migrations"  # beside mlflow.store


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
        with closing(sqlite3.connect(database)) as connection:
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
    config = Config()
    config.set_main_option("script_location", str(Path(mlflow.store.__file__).parent / FOLDER))
    return ScriptDirectory.from_config(config)
