"""Where the recorded rows can be looked at."""

import json
import socket
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from mlflow import MlflowClient
from mlflow.entities import Experiment, ExperimentTag

from muver.cli import main
from muver.reproduction.tracking import audit
from muver.reproduction.tracking.store import VIEW, open_experiment, open_store, show_recall
from tests.reproduction.tracking.conftest import copy_of
from tests.reproduction.tracking.test_runs import ROW


def test_addresses_stand_in_the_order_of_the_tables_with_the_view_that_was_recorded():
    beyond, table1 = (
        Experiment(number, name, "", "active", [ExperimentTag(tag, "")])
        for number, name, tag in [("2", "beyond", "other"), ("1", "table1", VIEW)]
    )
    assert audit.addresses("http://x", [beyond, table1]) == [
        "table1  http://x/#/experiments/1/runs?workflowType=machine_learning"
        "&viewStateShareKey=recall",
        "beyond  http://x/#/experiments/2/runs?workflowType=machine_learning",
    ]


def test_the_list_of_runs_has_room_for_the_names_of_its_columns():
    """Of the rows' columns and of those of the runs below them, each once."""
    client = Mock()
    client.get_experiment.return_value.creation_time = 7
    below = replace(ROW, columns=["metrics.`all/recall_at_016`"])
    row = replace(ROW, columns=["metrics.`all/recall_at_001`"], children=[below])
    show_recall(client, "1", [row, row])
    calls = client.set_experiment_tag.mock_calls
    tags = {name: value for _, name, value in (call.args for call in calls)}
    state = json.loads(json.loads(tags[VIEW])["state"])
    assert state["selectedColumns"] == [*row.columns, *below.columns]
    assert state["columnWidths"][row.columns[0]] == 20 + 7 * len("all/recall_at_001")
    assert state["columnOrder"] == list(state["columnWidths"])


def test_nothing_recorded(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["audit"]) == 2
    assert "mlflow.db: no such file, so nothing is recorded here" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def served(client: MlflowClient, monkeypatch) -> list[int]:
    """The ports at which the tests' store would have been served."""
    ports: list[int] = []
    monkeypatch.setenv("MLFLOW_TRACKING_URI", client.tracking_uri)
    monkeypatch.setattr(audit, "_serve", lambda uri, port: ports.append(port))
    return ports


def test_a_port_that_is_taken(served, tmp_path: Path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["audit", "--port", port]) == 2
    assert f"--port {port}: in use" in capsys.readouterr().err
    assert served == []


def test_a_list_alone_starts_nothing(served, tmp_path: Path, client: MlflowClient, capsys):
    if client.get_experiment_by_name("audited") is None:
        client.create_experiment("audited")
    assert main(["audit", "--list"]) == 0
    assert "audited" in capsys.readouterr().err
    assert served == []


def test_a_copied_store_says_where_its_files_are(
    empty_store: Path, tmp_path: Path, monkeypatch, capsys
):
    """MLflow keeps absolute paths."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", copy_of(empty_store, tmp_path))
    with open_store() as (client, artifacts):
        open_experiment(client, "table1", artifacts)
    assert main(["audit", "--list"]) == 0
    assert "looked for" not in capsys.readouterr().err
    old = tmp_path / "old" / "mlartifacts"
    open_experiment(client, "table2", old)
    assert main(["audit", "--list"]) == 0
    assert f"{old}" in capsys.readouterr().err
