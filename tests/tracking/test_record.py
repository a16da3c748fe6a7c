"""Recording: one run a row, never two, never half a one."""

import csv
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from muver.errors import InputError
from muver.tables.stage import make_table
from muver.tracking.record import record
from muver.tracking.store import open_store

ROWS = [{"method": "BM25", "system": "bm25"}, {"method": "MuVER", "system": "muver"}]
Record = Callable[..., list[dict[str, str]]]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory):
    """One store for all tests here (making one takes a second); each has its experiment."""
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder / 'mlflow.db'}")
        with open_store() as (client, artifacts):
            assert artifacts == folder / "mlartifacts"
        yield client


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """The test's experiment."""
    return request.node.name


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., None]:
    """Write the evaluations of both systems, their runs and the table."""

    def write(bm25_hits: int = 1, fingerprint: str = "f00d") -> None:
        for system, hits in (("bm25", bm25_hits), ("muver", 3)):
            part = {"hits": {"1": hits}, "recall": {"1": 25.0 * hits}}
            content: dict[str, Any] = {
                "system": system,
                "dataset": "tiny",
                "fingerprint": fingerprint,
                "settings": {
                    "system": system,
                    "retrieve": {"k": 1},
                    **dict.fromkeys(map(str, range(120))),
                },
                "cutoffs": [1],
                "mentions": 4,
                "hits": part["hits"],
                "micro": part["recall"],
                "macro": part["recall"],
                "worlds": {"lego": {"mentions": 4, **part}},
            }
            (tmp_path / f"{system}.json").write_text(json.dumps(content))
            (tmp_path / f"{system}.parquet").write_bytes(b"run")
        make_table(1, evaluations(tmp_path), tmp_path / "table1.csv", {"rows": ROWS})

    write()
    return write


def evaluations(folder: Path) -> list[Path]:
    return [folder / "bm25.json", folder / "muver.json"]


@pytest.fixture
def record_rows(tmp_path: Path, client: MlflowClient, name: str, evaluate) -> Record:
    """Record the table and read mlflow_runs.csv."""

    def rows(**settings: Any) -> list[dict[str, str]]:
        (tmp_path / "log.jsonl").write_text("{}")
        record(
            tmp_path / "table1.json",
            evaluations(tmp_path),
            [tmp_path / "bm25.parquet", tmp_path / "muver.parquet"],
            [("muver", tmp_path / "log.jsonl")],
            tmp_path / "mlflow_runs.csv",
            {"experiment": name, **settings},
        )
        with open(tmp_path / "mlflow_runs.csv", newline="") as file:
            return list(csv.DictReader(file))

    return rows


def active(client: MlflowClient, name: str) -> list[Any]:
    return client.search_runs([client.get_experiment_by_name(name).experiment_id])


def test_a_run_holds_its_row(client: MlflowClient, name: str, record_rows: Record):
    lines = record_rows()
    experiment = client.get_experiment_by_name(name)
    assert [line["method"] for line in lines] == ["BM25", "MuVER"]
    assert lines[1]["address"] == (
        f"/#/experiments/{experiment.experiment_id}/runs/{lines[1]['run_id']}"
        "?workflowType=machine_learning"
    )
    found = client.search_runs(
        [experiment.experiment_id], f"tags.row_key = '{lines[1]['row_key']}'"
    )
    assert [run.info.run_id for run in found] == [lines[1]["run_id"]]
    run = found[0]
    assert (run.info.run_name, run.info.status) == ("MuVER", "FINISHED")
    assert run.data.metrics == {
        "recall_at_1": 75.0, "macro/recall_at_1": 75.0, "world_lego/recall_at_1": 75.0
    }  # fmt: skip
    assert run.data.params["retrieve.k"] == "1"
    assert len(run.data.params) == 122
    assert run.data.tags["dataset"] == "tiny"
    assert "| lego | 4 | 75.00 |" in run.data.tags["mlflow.note.content"]
    kept = {
        file.path
        for folder in client.list_artifacts(run.info.run_id)
        for file in client.list_artifacts(run.info.run_id, folder.path)
    }
    assert kept == {
        "evaluation/muver.json", "evaluation/worlds.csv", "run/muver.parquet", "training/log.jsonl"
    }  # fmt: skip


def test_a_repeat_changes_nothing(client: MlflowClient, name: str, record_rows: Record):
    first = record_rows()
    before = [run.to_dictionary() for run in active(client, name)]
    assert record_rows() == first
    assert [run.to_dictionary() for run in active(client, name)] == before


def test_other_numbers_replace_a_run(
    client: MlflowClient, name: str, record_rows: Record, evaluate, monkeypatch, caplog
):
    monkeypatch.setattr(logging.getLogger("muver"), "propagate", True)
    caplog.set_level(logging.INFO, "muver")
    first = record_rows()
    evaluate(bm25_hits=2)
    second = record_rows()
    assert first[0]["row_key"] == second[0]["row_key"]
    assert first[0]["run_id"] != second[0]["run_id"]
    assert first[1] == second[1]
    assert {run.info.run_id for run in active(client, name)} == {line["run_id"] for line in second}
    assert client.get_run(first[0]["run_id"]).info.lifecycle_stage == "deleted"
    assert f"BM25: deleted run {first[0]['run_id']}, which had other numbers" in caplog.text


def test_other_data_is_another_row(client: MlflowClient, name: str, record_rows: Record, evaluate):
    record_rows()
    evaluate(fingerprint="beef")
    record_rows()
    assert len(active(client, name)) == 4


def test_a_crash_leaves_nothing_that_looks_finished(
    client: MlflowClient, name: str, record_rows: Record, monkeypatch
):
    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MlflowClient, "log_text", crash)
        with pytest.raises(KeyboardInterrupt):
            record_rows()
    (half,) = active(client, name)
    assert half.info.status == "RUNNING"

    lines = record_rows()
    found = active(client, name)
    assert {run.info.run_id for run in found} == {line["run_id"] for line in lines}
    assert {run.info.status for run in found} == {"FINISHED"}
    assert client.get_run(half.info.run_id).info.lifecycle_stage == "deleted"


def test_a_deleted_experiment_is_restored(client: MlflowClient, name: str, record_rows: Record):
    first = record_rows()
    client.delete_experiment(first[0]["experiment_id"])
    assert record_rows() == first
    assert client.get_experiment_by_name(name).lifecycle_stage == "active"


def test_disabled(client: MlflowClient, name: str, record_rows: Record, tmp_path: Path):
    assert record_rows(enabled=False) == []
    assert client.get_experiment_by_name(name) is None
    assert (tmp_path / "mlflow_runs.csv").read_text() == (
        "row_key,method,run_id,experiment_id,address\n"
    )


def test_table_of_other_evaluations_is_refused(record_rows: Record, tmp_path: Path):
    path = tmp_path / "bm25.json"
    path.write_text(path.read_text().replace("f00d", "beef"))
    with pytest.raises(InputError, match="a results file from other parameters"):
        record_rows()
    assert not (tmp_path / "mlflow_runs.csv").exists()


def test_missing_files_are_refused(record_rows: Record, tmp_path: Path):
    (tmp_path / "muver.parquet").unlink()
    with pytest.raises(InputError, match=r"muver\.parquet: no such file"):
        record_rows()
