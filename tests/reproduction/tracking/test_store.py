"""Making and opening stores."""

import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from mlflow import MlflowClient

from muver.io.errors import InputError
from muver.reproduction.tracking import store
from muver.reproduction.tracking.experiments import open_experiment
from muver.reproduction.tracking.store import open_store

OPEN = """
from muver.reproduction.tracking.experiments import open_experiment
from muver.reproduction.tracking.store import open_store
with open_store() as (client, artifacts):
    print(open_experiment(client, "table1", artifacts))
"""


def test_processes_at_once_make_one_good_store(tmp_path: Path):
    """In the folder they work in; quietly; without mlruns and what a killed one left."""
    for end in ("", "-journal"):
        (tmp_path / f".mlflow.db.0a1b2c3d.tmp{end}").touch()
    environment = {k: v for k, v in os.environ.items() if k != "MLFLOW_TRACKING_URI"}
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [start.communicate(timeout=120) for start in starts]
    assert said == [("1\n", ""), ("1\n", "")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlartifacts", "mlflow.db"]
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        names = database.execute("select name from experiments order by experiment_id").fetchall()
    assert names == [("Default",), ("table1",)]  # Default is deleted


def test_a_moved_folder_gets_an_experiment_of_its_own(tmp_path: Path, monkeypatch):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{old / 'mlflow.db'}")
    with open_store() as (client, artifacts):
        first = open_experiment(client, "table1", artifacts)
        assert open_experiment(client, "table1", artifacts) == first
    shutil.copytree(old, new)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{new / 'mlflow.db'}")
    with open_store() as (client, artifacts):
        second = open_experiment(client, "table1", artifacts)
        assert second != first
        assert (
            client.get_experiment(second).artifact_location
            == (new / "mlartifacts" / "table1").as_uri()
        )
        assert "before the move" in client.get_experiment(first).name


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("./mlruns", r"cannot be used: .* tracking\.enabled"),
        ("nonsense://x", r"cannot be used: .* tracking\.enabled"),
        ("oracle://user@127.0.0.1:1/x", r"cannot be used: .* tracking\.enabled"),
        ("sqlite:///broken.db", r"cannot be used: .* tracking\.enabled"),
        ("sqlite:///", "sqlite:/// names no file"),
        ("sqlite:///broken.db/mlflow.db", "cannot be written"),  # its folder is a file
    ],
)
def test_a_store_that_cannot_be_used(tmp_path: Path, monkeypatch, uri: str, words: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.db").write_text("not a database" * 100)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    with (
        pytest.raises(InputError, match=f"(?s){words}"),
        open_store() as (client, artifacts),
    ):
        open_experiment(client, "table1", artifacts)


def test_a_store_of_another_mlflow_is_refused_by_mlflow(
    client: MlflowClient, tmp_path: Path, monkeypatch
):
    path = tmp_path / "mlflow.db"
    shutil.copy(client.tracking_uri.removeprefix("sqlite:///"), path)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("update alembic_version set version_num = 'ffff'")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{path}")
    with (
        pytest.raises(InputError, match="(?s)cannot be used: .*found version ffff.*be recorded"),
        open_store() as (found, artifacts),
    ):
        open_experiment(found, "table1", artifacts)


def test_a_server_that_does_not_answer_is_given_up_soon(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
        monkeypatch.setattr(store, "PATIENCE", 0.1)
        with (
            pytest.raises(InputError, match=f"{uri} cannot be used.*can be recorded later"),
            open_store(),
        ):
            pass
