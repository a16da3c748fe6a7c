"""Where the recorded rows can be looked at."""

import socket
import subprocess
from pathlib import Path

import pytest

from muver.cli import main
from muver.tracking import audit
from muver.tracking.store import open_store


def test_addresses_stand_in_the_order_of_the_tables():
    assert audit.addresses("http://x", {"beyond": "2", "table1": "1"}) == [
        "table1  http://x/#/experiments/1/runs?workflowType=machine_learning",
        "beyond  http://x/#/experiments/2/runs?workflowType=machine_learning",
    ]


def test_lists_of_another_store_are_told(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:secret@here:1")
    folder = tmp_path / "tiny" / "recorded"
    folder.mkdir(parents=True)
    (folder / "table1.csv").write_text("row_key,store\na,http://here:1\n")
    (folder / "table3.csv").write_text("row_key,store\na,sqlite:///mlflow.db\n")
    (told,) = audit.of_other_stores(tmp_path)
    assert told.startswith("table3 ") and "in sqlite:///mlflow.db, not in http://here:1" in told


def test_nothing_recorded(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["audit"]) == 2
    assert "mlflow.db: no such file, so nothing was recorded" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def started(client, monkeypatch) -> list[list[str]]:
    """The commands that would have been started on the tests' store."""
    commands = []

    def run(command, check):
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    store = client.tracking_uri
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store)
    monkeypatch.setattr(audit.subprocess, "run", run)
    return commands


def test_it_is_served_to_this_machine_alone(started, tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
    assert main(["audit", "--port", port, "--recorded", str(tmp_path)]) == 0
    (command,) = started
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert command[command.index("--port") + 1] == port


def test_a_port_that_is_taken(started, tmp_path: Path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["audit", "--port", port, "--recorded", str(tmp_path)]) == 2
    assert f"--port {port}: cannot be used" in capsys.readouterr().err
    assert started == []


def test_a_list_alone_starts_nothing(started, tmp_path: Path, client, capsys):
    with open_store() as (opened, _):
        if opened.get_experiment_by_name("audited") is None:
            opened.create_experiment("audited")
    assert main(["audit", "--list", "--recorded", str(tmp_path)]) == 0
    assert "audited" in capsys.readouterr().err
    assert started == []
