"""Databases of other versions of MLflow."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.tracking.store import check_revision, known_schemas


def database(folder: Path, revision: str) -> Path:
    path = folder / "mlflow.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table alembic_version (version_num varchar(32))")
        connection.execute("insert into alembic_version values (?)", [revision])
    return path


def test_an_older_one_is_to_be_brought_up_to_date(tmp_path: Path):
    scripts = known_schemas()
    older = scripts.get_revision(scripts.get_current_head()).down_revision
    path = database(tmp_path, older)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"older MLflow .schema {older}.*mlflow db upgrade sqli"):
        check_revision("sqlite:///mlflow.db", path)
    assert path.read_bytes() == before


def test_a_newer_one_needs_its_mlflow(tmp_path: Path):
    with pytest.raises(InputError, match="a newer MLflow .schema ffff.*use that MLflow"):
        check_revision("sqlite:///mlflow.db", database(tmp_path, "ffff"))


def test_ours_and_what_is_no_store_pass(tmp_path: Path):
    check_revision("sqlite:///mlflow.db", database(tmp_path, known_schemas().get_current_head()))
    (tmp_path / "broken.db").write_text("no database" * 100)
    assert check_revision("sqlite:///broken.db", tmp_path / "broken.db") is None
