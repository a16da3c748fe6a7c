"""Making and opening stores."""

import contextlib
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from mlflow.exceptions import MlflowException
from sqlalchemy.exc import IntegrityError, ProgrammingError

from muver.io.errors import InputError
from muver.reproduction.tracking import store
from muver.reproduction.tracking.store import open_experiment, open_store
from tests.reproduction.tracking.conftest import copy_of

OPEN = """
import os
import mlflow.db
from muver.reproduction.tracking.store import open_experiment
from muver.reproduction.tracking.store import open_store
make = mlflow.db.upgrade.callback
mlflow.db.upgrade.callback = lambda uri: print("made", flush=True) or make(uri)
other = os.fork()
with open_store() as (client, artifacts):
    print(open_experiment(client, "table1", artifacts), flush=True)
os._exit(os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) if other else 0)
"""


def test_processes_at_once_make_one_good_store(tmp_path: Path):
    """In the folder they work in; quietly; without mlruns and what a killed one left."""
    for end in ("", "-journal"):
        (tmp_path / f".mlflow.db.0a1b2c3d.tmp{end}").touch()
    environment = {k: v for k, v in os.environ.items() if k != "MLFLOW_TRACKING_URI"}
    done = subprocess.run(
        [sys.executable, "-c", OPEN], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "made\n1\n1\n", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlartifacts", "mlflow.db"]
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        names = database.execute("select name from experiments order by experiment_id").fetchall()
    assert names == [("Default",), ("table1",)]  # Default is deleted


def test_a_moved_folder_gets_an_experiment_of_its_own(
    empty_store: Path, tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", copy_of(empty_store, tmp_path))
    with open_store() as (client, artifacts):
        old = tmp_path / "old" / "mlartifacts"
        first = open_experiment(client, "table1", old)
        assert open_experiment(client, "table1", old) == first
        second = open_experiment(client, "table1", artifacts)
        assert second != first
        location = client.get_experiment(second).artifact_location
        assert location == (tmp_path / "mlartifacts" / "table1").as_uri()
        assert "before the move" in client.get_experiment(first).name


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("./mlruns", "tracking.enabled"),
        ("nonsense://x", "tracking.enabled"),
        ("oracle://user@127.0.0.1:1/x", "tracking.enabled"),
        ("sqlite:///broken.db", "tracking.enabled"),
        ("sqlite:///", "names no file"),
        ("sqlite:///broken.db/mlflow.db", "cannot be written"),  # its folder is a file
    ],
)
def test_a_store_that_cannot_be_used(tmp_path: Path, monkeypatch, uri: str, words: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.db").write_text("not a database" * 100)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    with pytest.raises(InputError, match=words), open_store() as (client, artifacts):
        open_experiment(client, "table1", artifacts)


def test_a_store_of_another_mlflow_is_refused_by_mlflow(
    empty_store: Path, tmp_path: Path, monkeypatch
):
    uri = copy_of(empty_store, tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / "mlflow.db")) as database, database:
        database.execute("update alembic_version set version_num = 'ffff'")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    with pytest.raises(InputError, match="found version ffff"), open_store() as (found, artifacts):
        open_experiment(found, "table1", artifacts)


def test_a_server_that_does_not_answer_is_given_up_soon(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
        monkeypatch.setattr(store, "PATIENCE", 0.1)
        with pytest.raises(InputError, match=f"{uri} cannot be used"), open_store():
            pass


def test_tables_that_another_process_makes_meanwhile(monkeypatch):
    """As PostgreSQL has it, which `python -m campaign together` asks."""
    meanwhile = [kind("", {}, Exception()) for kind in (IntegrityError, ProgrammingError)]
    meanwhile.append(MlflowException("as MLflow wraps them"))
    meanwhile[-1].__cause__ = meanwhile[0]
    monkeypatch.setattr(store, "MlflowClient", mock.Mock(side_effect=[*meanwhile, "a client"]))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "postgresql://localhost/mlflow")
    with open_store() as opened:
        assert opened == ("a client", None)
