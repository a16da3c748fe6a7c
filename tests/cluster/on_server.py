"""Recording to an MLflow server over PostgreSQL: `make test-cluster ARGS="-k server"`.

Outside of `make test`, as it needs PostgreSQL (Debian: apt-get install postgresql) and the packages
of requirements/servers.lock. Everything runs on this machine, on free ports and in a folder of its
own, and ends with the tests.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.reproduction.tracking.conftest import TableFiles, evaluation, read_list
from tests.reproduction.tracking.server import free_port, serving

SERVERS = Path(__file__).parents[2] / ".venv/servers"  # where `make test-cluster` puts them
RECORDERS = 8
SYSTEMS = [f"system{n}" for n in range(6)]


def postgres_tool(name: str) -> str:
    """A program of PostgreSQL's, which Debian keeps in a folder of its version."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    tool = str(found[-1]) if found else shutil.which(name)
    assert tool, f"{name} is missing: apt-get install postgresql"
    return tool


def postgresql() -> Iterator[str]:
    """The address of an empty database of a PostgreSQL started for it."""
    # Not below pytest's folder, which is closed to others.
    folder, port = Path(tempfile.mkdtemp(prefix="muver-postgresql-")), free_port()
    as_owner: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to be run by root
        as_owner = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    control = [*as_owner, postgres_tool("pg_ctl"), "--pgdata", str(folder / "data")]
    make = [
        *as_owner,
        postgres_tool("initdb"),
        "--pgdata",
        str(folder / "data"),
        "--username=mlflow",
    ]
    subprocess.run([*make, "--auth=trust", "--no-sync"], check=True, stdout=subprocess.DEVNULL)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    start = [*control, "--wait", "--log", str(folder / "log"), "--options", options, "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL)
    try:
        yield f"postgresql://mlflow@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "--mode", "fast", "stop"], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder)


database = pytest.fixture(postgresql, scope="module", name="database")


@pytest.fixture
def arguments(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How MLflow's server is started."""
    monkeypatch.setenv("PYTHONPATH", str(SERVERS))
    return [
        "server", "--host", "127.0.0.1", "--workers", "2", "--backend-store-uri", database,
        "--artifacts-destination", str(tmp_path / "artifacts"),
    ]  # fmt: skip


def recorder(folder: Path, address: str) -> subprocess.Popen:
    """``muver record`` of one table from a folder of its own, as from one of several machines."""
    folder.mkdir(exist_ok=True)
    files = TableFiles(folder)
    files.write(
        [evaluation(system, n % 5) for n, system in enumerate(SYSTEMS)],
        [{"method": f"Method {n}", "system": system} for n, system in enumerate(SYSTEMS)],
    )
    table = {
        "table": files.folder / "table1.json",
        "evaluations": files.evaluations,
        "out": files.folder / "recorded.csv",
    }
    settings = json.dumps({"tables": [table]}, default=str)
    return subprocess.Popen(
        [sys.executable, "-m", "muver.cli", "record", "--settings", settings],
        cwd=folder, env={**os.environ, "MLFLOW_TRACKING_URI": address},
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def runs_of(client: MlflowClient) -> list:
    found = client.get_experiment_by_name("table1")
    return client.search_runs([found.experiment_id]) if found else []


def test_recorders_at_once_and_a_server_that_is_restarted(tmp_path, arguments):
    """One whole run a row, in PostgreSQL, that all recorders list."""
    folders = [tmp_path / f"machine{n}" for n in range(RECORDERS)]
    port = free_port()
    with serving("mlflow", arguments, tmp_path, port) as (address, _):
        client = MlflowClient(address)
        first = [recorder(folder, address) for folder in folders]
        until = time.monotonic() + 300
        while len(runs_of(client)) < 2:
            assert time.monotonic() < until
            time.sleep(0.1)
    said = {one.pid: one.communicate()[0] for one in first}  # what the restart met
    with serving("mlflow", arguments, tmp_path, port):
        failed = [one for one in first if one.returncode]
        assert failed, said
        assert all("can be recorded later" in said[one.pid] for one in failed), said
        again = [recorder(folder, address) for folder in folders]
        output = [one.communicate()[0] for one in again]
        assert [one.returncode for one in again] == [0] * RECORDERS, output
        # What the restart left half made may be somebody's work, for all that others know.
        runs = [run for run in runs_of(client) if run.info.status == "FINISHED"]
        positions = [f"{n:02d}" for n in range(1, len(SYSTEMS) + 1)]
        assert sorted(run.data.tags["position"] for run in runs) == positions
        lists = [[line["run_id"] for line in read_list(one / "recorded.csv")] for one in folders]
        assert set(lists[0]) == {run.info.run_id for run in runs}
        assert lists == [lists[0]] * RECORDERS
        paths = [one.path for one in client.list_artifacts(runs[0].info.run_id, "evaluation")]
        assert paths[1] == "evaluation/worlds.csv"
        assert runs[0].info.artifact_uri.startswith("mlflow-artifacts:")

        audit = [sys.executable, "-m", "muver.cli", "audit"]
        environment = {**os.environ, "MLFLOW_TRACKING_URI": address}
        named = subprocess.run(
            audit, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        number = client.get_experiment_by_name("table1").experiment_id
        assert f"{address}/#/experiments/{number}/runs?workflowType=machine_learning&viewState" in (
            named.stderr
        )
        assert "the store is a server: open its pages there" in named.stderr
