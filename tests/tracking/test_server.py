"""Recording through a real MLflow server, and when it is gone."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlflow import MlflowClient

from muver.cli import main
from tests.tracking.conftest import TableFiles, evaluation

READY = 180  # seconds for a server to start on a busy machine


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of MLflow's on a free port of this machine, with a store of its own."""
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    server = subprocess.Popen(
        [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port)]
        + ["--workers", "1", "--backend-store-uri", f"sqlite:///{folder}/server.db"]
        + ["--artifacts-destination", str(folder / "artifacts")],
        cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until = time.monotonic() + READY
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, "the server ended"
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def call(files: TableFiles, *more: str) -> int:
    """``muver record`` of a table of two rows, as the workflow calls it."""
    files.write(
        [evaluation("bm25", 1), evaluation("muver", 3)],
        [{"method": "BM25", "system": "bm25"}, {"method": "MuVER", "system": "muver"}],
    )
    table, out = files.folder / "table1.json", files.folder / "recorded" / "table1.csv"
    runs = [str(path) for path in files.runs]
    return main(
        ["record", "--table", str(table), "--evaluations", *map(str, files.evaluations)]
        + ["--runs", *runs, "--out", str(out), *more]
    )


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
    with socket.socket() as probe:  # a port that nobody listens on
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://someone:secret@127.0.0.1:{port}")
    assert call(files) == 2
    said = capsys.readouterr().err
    assert f"MLflow's store http://127.0.0.1:{port} cannot be used" in said
    marker = tmp_path / "recorded" / "table1.failed"
    assert not marker.exists()
    assert call(files, "--keep-going") == 0
    assert "table1 IS NOT IN MLFLOW" in capsys.readouterr().err
    assert "cannot be used" in marker.read_text()
    assert call(files, "--keep-going", "--settings", json.dumps({"enabled": False})) == 0
    assert not marker.exists()
