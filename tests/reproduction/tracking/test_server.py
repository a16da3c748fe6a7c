"""Recording through a real MLflow server, and when it is gone."""

import json
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from mlflow import MlflowClient

from muver.cli import main
from tests.reproduction.tracking.conftest import TableFiles, copy_of, evaluation
from tests.reproduction.tracking.server import free_port, wait_for
from tests.reproduction.tracking.test_record import ROWS


def serve(port: int, settings: dict[str, str]) -> None:
    """Be a server of MLflow's, as ``mlflow server`` starts its workers."""
    os.environ.update(settings)
    from mlflow.server.fastapi_app import app

    uvicorn.run(app, port=port, log_level="error")


@pytest.fixture(scope="module")
def address(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of MLflow's on a free port of this machine, with a store of its own.

    A copy of this process, which has most of what it imports.
    """
    from mlflow import server  # takes a second, which only who runs these tests need wait

    folder = tmp_path_factory.mktemp("server")
    settings = {
        server.BACKEND_STORE_URI_ENV_VAR: copy_of(empty_store, folder),
        server.ARTIFACT_ROOT_ENV_VAR: "mlflow-artifacts:/",
        server.SERVE_ARTIFACTS_ENV_VAR: "true",
        server.ARTIFACTS_DESTINATION_ENV_VAR: str(folder / "artifacts"),
    }
    settings["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # workers that nothing here needs
    port = free_port()
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=serve, args=(port, settings))
    process.start()
    yield wait_for(port, lambda: process.exitcode is not None)
    process.terminate()
    process.join()


def call(files: TableFiles, *more: str, **settings: bool) -> int:
    """``muver record`` of a table of two rows, as the workflow calls it."""
    files.write([evaluation("bm25", 1), evaluation("muver", 3)], ROWS)
    table = {
        "table": files.folder / "table1.json",
        "evaluations": files.evaluations,
        "out": files.folder / "recorded" / "table1.csv",
        **settings,
    }
    return main(["record", "--settings", json.dumps({"tables": [table]}, default=str), *more])


def test_rows_go_to_the_server_with_their_files_and_once(
    address: str, files: TableFiles, monkeypatch, tmp_path: Path
):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    monkeypatch.chdir(tmp_path)
    assert call(files) == 0
    client = MlflowClient(address)
    experiment = client.get_experiment_by_name("table1").experiment_id
    runs = client.search_runs([experiment])
    assert [run.info.run_name for run in runs] == ["BM25", "MuVER"]
    assert {run.info.status for run in runs} == {"FINISHED"}
    kept = client.list_artifacts(runs[1].info.run_id, "evaluation")
    assert [one.path for one in kept] == ["evaluation/muver.json", "evaluation/worlds.csv"]
    assert runs[1].inputs.dataset_inputs[0].dataset.digest == "f00d"
    listed = (tmp_path / "recorded" / "table1.csv").read_text()
    assert listed.count(address) == 2
    assert call(files) == 0
    assert len(client.search_runs([experiment])) == 2
    assert (tmp_path / "recorded" / "table1.csv").read_text() == listed
    assert not (tmp_path / "mlflow.db").exists()


def test_a_server_that_is_gone_fails_loudly_or_leaves_word(
    files: TableFiles, monkeypatch, tmp_path: Path, capsys
):
    port = free_port()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://someone:secret@127.0.0.1:{port}")
    assert call(files) == 2
    said = capsys.readouterr().err
    assert f"MLflow's store http://127.0.0.1:{port} cannot be used" in said
    marker = tmp_path / "recorded" / "table1.failed"
    assert not marker.exists()
    assert call(files, "--keep-going") == 0
    assert "table1 IS NOT IN MLFLOW" in capsys.readouterr().err
    assert "cannot be used" in marker.read_text()
    assert call(files, "--keep-going", enabled=False) == 0
    assert not marker.exists()
