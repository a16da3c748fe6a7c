"""Recording a table: one run a row, never two, never half a one."""

import json
import os
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from mlflow import MlflowClient

from tests.reproduction.tracking.conftest import TableFiles, active, evaluation, record

ROWS = [{"method": "BM25", "system": "bm25"}, {"method": "MuVER", "system": "muver"}]
LOG = (
    '{"step": 1, "epoch": 1, "loss": 2.0, "learning_rate": 0.1}\n'
    '{"step": 2, "epoch": 1, "loss": 1.0, "learning_rate": 0.0}\n'
    '{"step": 2, "epoch": 1, "validation_recall_at_8": 50.0}\n'
)
WRITTEN = 1_700_000_000  # when the benchmark file was, in POSIX time
Record = Callable[..., list[dict[str, str]]]


def write(files: TableFiles, bm25_hits: int = 1, fingerprint: str = "f00d") -> None:
    found = [evaluation("bm25", bm25_hits), evaluation("muver", 3)]
    for one in found:
        one["fingerprint"] = fingerprint
        one["settings"] |= {**dict.fromkeys(map(str, range(120))), "long": "x" * 7000}
    files.write(found, ROWS)


@pytest.fixture
def record_rows(files: TableFiles, client: MlflowClient, name: str) -> Record:
    """Record the table and read which run is whose."""
    write(files)

    def rows(**settings: Any) -> list[dict[str, str]]:
        (files.folder / "training_log.jsonl").write_text(LOG)
        (files.folder / "train.tsv").write_text("s\n90.5\n")
        os.utime(files.folder / "train.tsv", (WRITTEN, WRITTEN))
        return record(
            files.folder / "recorded.csv",
            table=files.folder / "table1.json",
            evaluations=files.evaluations,
            artifacts={"muver": [files.folder / "training_log.jsonl"]},
            benchmarks={"muver": {"train": files.folder / "train.tsv"}},
            settings={"experiment": name, "source": "raw/tiny", **settings},
        )

    return rows


def test_a_run_holds_its_row(client: MlflowClient, name: str, record_rows: Record):
    """All that it holds is in frozen.json; here what that leaves out."""
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
    assert len(run.data.params) == 124
    assert run.data.params["long"] == "x" * 6000  # as much as MLflow keeps
    assert f"Row `{lines[1]['row_key']}` of `" in run.data.tags["mlflow.note.content"]
    (data,) = run.inputs.dataset_inputs
    assert json.loads(data.dataset.source) == {"uri": "raw/tiny"}
    loss = client.get_metric_history(run.info.run_id, "curves/loss")
    assert [(point.step, point.value) for point in loss] == [(1, 2.0), (2, 1.0)]
    # It lasts as long as its work; BM25, which has no benchmark, as long as its recording.
    assert run.info.end_time == WRITTEN * 1000
    assert run.info.start_time == WRITTEN * 1000 - 90500
    bm25 = client.get_run(lines[0]["run_id"]).info
    assert WRITTEN * 1000 < bm25.start_time <= bm25.end_time


def test_runs_that_others_made_are_left_as_they_are(
    client: MlflowClient, name: str, record_rows: Record, files, monkeypatch
):
    """Neither one that MLFLOW_RUN_ID names, nor one that somebody put below a row's."""
    elsewhere = client.create_experiment(f"{name}, somebody's")
    going_on = client.create_run(elsewhere, run_name="going on").info.run_id
    monkeypatch.setenv("MLFLOW_RUN_ID", going_on)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_ID", elsewhere)
    (first, _) = record_rows()
    below = {"mlflow.parentRunId": first["run_id"]}
    nested = client.create_run(first["experiment_id"], run_name="below", tags=below).info.run_id
    before = [client.get_run(one).to_dictionary() for one in (going_on, nested)]
    write(files, bm25_hits=2)
    (second, _) = record_rows()
    assert client.get_run(first["run_id"]).info.lifecycle_stage == "deleted"
    assert second["run_id"] != first["run_id"]
    assert [client.get_run(one).to_dictionary() for one in (going_on, nested)] == before
    assert [run.info.run_id for run in client.search_runs([elsewhere])] == [going_on]


def test_other_numbers_verdicts_and_layouts_replace_a_run(
    client: MlflowClient, name: str, record_rows: Record, files
):
    first = record_rows()
    write(files, bm25_hits=2)
    second = record_rows()
    assert first[0]["row_key"] == second[0]["row_key"]
    assert first[0]["run_id"] != second[0]["run_id"]
    assert first[1] == second[1]
    assert {run.info.run_id for run in active(client, name)} == {line["run_id"] for line in second}
    replaced = client.get_run(first[0]["run_id"])
    assert replaced.info.lifecycle_stage == "deleted"
    assert replaced.data.tags["replaced_by"] == second[0]["run_id"]

    table = json.loads((files.folder / "table1.json").read_text())
    table["published"][-1]["verdict"] = "near"
    (files.folder / "table1.json").write_text(json.dumps(table))
    client.set_tag(second[0]["run_id"], "layout", "1")  # as an older muver recorded it
    third = record_rows()
    assert not {line["run_id"] for line in third} & {line["run_id"] for line in second}
    assert len(active(client, name)) == 2

    write(files, fingerprint="beef")  # other data are other rows
    record_rows()
    assert len(active(client, name)) == 4


def test_a_crash_leaves_nothing_that_looks_finished(
    client: MlflowClient, name: str, record_rows: Record, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(MlflowClient, "log_text", Mock(side_effect=KeyboardInterrupt))
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


def test_a_diverged_training_is_recorded_once(record_rows: Record, monkeypatch):
    broken = LOG.replace("1.0", "NaN").replace("2.0", "Infinity").replace(": 0.0", ": Infinity")
    monkeypatch.setitem(globals(), "LOG", broken)
    assert record_rows() == record_rows()


def test_rows_of_one_method_are_told_apart_by_system(
    client: MlflowClient, name: str, record_rows: Record, files
):
    files.write(
        [evaluation("muver", 3), evaluation("muver_close_1", 2)],
        [{"method": "MuVER", "system": system} for system in ("muver", "muver_close_1")],
    )
    assert [line["method"] for line in record_rows()] == ["MuVER (muver)", "MuVER (muver_close_1)"]


def test_runs_deleted_by_hand_are_recorded_again(
    client: MlflowClient, name: str, record_rows: Record
):
    first = record_rows()
    client.delete_run(first[0]["run_id"])
    second = record_rows()
    assert len(active(client, name)) == 2
    assert second[0]["run_id"] != first[0]["run_id"] and second[1] == first[1]


def test_disabled(client: MlflowClient, name: str, record_rows: Record, files):
    assert record_rows(enabled=False) == []
    assert client.get_experiment_by_name(name) is None
    assert (files.folder / "recorded.csv").read_text() == (
        "row_key,method,run_id,experiment_id,address,store\n"
    )
