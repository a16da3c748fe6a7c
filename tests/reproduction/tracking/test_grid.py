"""Recording the grid: a parent with the chosen point, one run a point under it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from muver.io.errors import InputError
from tests.reproduction.grid.conftest import BASE, LISTS, NAMES, counts, logs, make
from tests.reproduction.tracking.conftest import active, record

__all__ = ["counts", "logs", "make"]  # fixtures
Lines = list[dict[str, str]]


@pytest.fixture
def record_points(
    tmp_path: Path, client: MlflowClient, name: str, make, logs
) -> Callable[..., Lines]:
    def lines(last: int = 4, **settings: Any) -> Lines:
        """The points of one learning rate are the first two, those of both all four."""
        make(logs[:last], learning_rate=LISTS["learning_rate"][: last // 2], **settings)
        given = {"logs": logs[:last], "settings": {"experiment": name}}
        return record(tmp_path / "recorded.csv", table=tmp_path / "grid.json", **given)

    return lines


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
