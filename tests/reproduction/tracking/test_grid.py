"""Recording the grid: a parent with the chosen point, one run a point under it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from muver.io.errors import InputError
from tests.reproduction.grid.conftest import BASE, NAMES, POINTS, counts, logs, make
from tests.reproduction.tracking.conftest import active, record

__all__ = ["counts", "logs", "make"]  # fixtures
Lines = list[dict[str, str]]


@pytest.fixture
def record_points(
    tmp_path: Path, client: MlflowClient, name: str, make, logs
) -> Callable[..., Lines]:
    def lines(last: int = 4, **settings: Any) -> Lines:
        make(logs[:last], subset=POINTS[:last], **settings)
        given = {"logs": logs[:last], "settings": {"experiment": name}}
        return record(tmp_path / "recorded.csv", table=tmp_path / "grid.json", **given)

    return lines


def test_points_stand_under_their_grid(client: MlflowClient, name: str, record_points):
    parent, *points = record_points()
    assert [line["method"] for line in points] == NAMES
    above = client.get_run(parent["run_id"])
    assert above.info.run_name == "grid of muver"
    assert above.data.tags["role"] == "parent"
    assert above.data.tags["chosen"] == POINTS[1]
    assert above.data.tags["chosen_row_key"] == points[1]["row_key"]
    assert above.data.params["model.training.warmup"] == "0.1"
    assert above.data.metrics == {
        "best/validation_recall_at_8": 75.0, "best/step": 2.0, "points": 4.0
    }  # fmt: skip
    kept = [file.path for file in client.list_artifacts(parent["run_id"], "grid")]
    assert kept == ["grid/grid.csv", "grid/grid.json", "grid/grid.md"]
    runs = [client.get_run(line["run_id"]) for line in points]
    assert {run.data.tags["mlflow.parentRunId"] for run in runs} == {parent["run_id"]}
    assert [run.data.tags["chosen"] for run in runs] == ["false", "true", "false", "false"]
    assert [run.data.params["model.training.learning_rate"] for run in runs] == [
        "2e-05", "2e-05", "1e-05", "1e-05"
    ]  # fmt: skip
    key = "best/validation_recall_at_8"
    assert [run.data.metrics[key] for run in runs] == [62.5, 75.0, 75.0, 50.0]
    history = client.get_metric_history(points[2]["run_id"], "curves/validation_recall_at_8")
    assert [(point.step, point.value) for point in history] == [(2, 75.0), (4, 25.0)]


def test_points_that_were_not_trained_in_fp32_are_marked(
    client: MlflowClient, name: str, record_points
):
    record_points(base={"muver": {**BASE, "precision": "bf16"}})
    assert [run.data.tags["precision"] for run in active(client, name)] == ["training bf16"] * 5


def test_points_are_added_and_removed(client: MlflowClient, name: str, record_points):
    few = record_points(2)
    all_of_them = record_points()
    assert few[0]["row_key"] == all_of_them[0]["row_key"]
    assert few[1:] == all_of_them[1:3]
    assert len(active(client, name)) == 5
    again = record_points(2)
    assert again[1:] == few[1:]
    assert len(active(client, name)) == 3


def test_logs_must_be_those_of_the_grid(record_points, logs: list[Path], tmp_path: Path):
    record_points()
    out, grid = tmp_path / "o.csv", tmp_path / "grid.json"
    with pytest.raises(InputError, match=f"logs: .*{NAMES[3]}"):
        record(out, table=grid, logs=logs[:3])
    with pytest.raises(InputError, match="logs: .*other"):
        record(out, table=grid, logs=[*logs, tmp_path / "other.jsonl"])
    assert not out.exists()
