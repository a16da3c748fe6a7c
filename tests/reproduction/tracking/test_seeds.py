"""Recording a row with several seeds: a parent above one run a seed."""

from collections.abc import Callable

import pytest
from mlflow import MlflowClient

from tests.reproduction.tracking.conftest import TableFiles, active, evaluation, record

Lines = list[dict[str, str]]


def write(files: TableFiles, hits: dict[int, int], fused: bool = False) -> None:
    """One row with a system a seed; of a fused one the settings have the first seed alone."""
    found = [
        evaluation("muver" if seed == 1 else f"muver_seed{seed}", count, 1 if fused else seed)
        for seed, count in hits.items()
    ]
    for one in found if fused else ():
        one["settings"]["parts"] = [{"seed": one["system"]}]  # so that their keys differ
    _, *further = [one["system"] for one in found]
    files.write(found, [{"method": "MuVER", "system": "muver", "repeats": further}])


def record_files(files: TableFiles, name: str) -> Lines:
    table, settings = files.folder / "table1.json", {"experiment": name}
    given = {"evaluations": files.evaluations, "settings": settings}
    return record(files.folder / "recorded.csv", table=table, **given)


@pytest.fixture
def record_seeds(files: TableFiles, client: MlflowClient, name: str) -> Callable[..., Lines]:
    def lines(hits: dict[int, int]) -> Lines:
        write(files, hits)
        return record_files(files, name)

    return lines


def parent_of(client: MlflowClient, line: dict[str, str]) -> str | None:
    return client.get_run(line["run_id"]).data.tags.get("mlflow.parentRunId")


def test_seeds_that_come_and_go(client: MlflowClient, name: str, record_seeds):
    """The parent is replaced, the runs that stay are moved under it, others are deleted."""
    before = record_seeds({1: 3, 7: 2})
    after = record_seeds({1: 3, 8: 1})
    assert before[0]["row_key"] == after[0]["row_key"]
    assert before[0]["run_id"] != after[0]["run_id"]
    assert before[1] == after[1]
    assert {parent_of(client, line) for line in after[1:]} == {after[0]["run_id"]}
    assert {run.info.run_id for run in active(client, name)} == {line["run_id"] for line in after}


def test_seeds_of_a_fused_row_are_told_apart(files: TableFiles, name: str):
    write(files, {1: 3, 7: 2}, fused=True)
    lines = record_files(files, name)
    assert [line["method"] for line in lines] == ["MuVER", "MuVER (seed 1)", "MuVER (seed 7)"]


def test_one_seed_is_a_single_run(client: MlflowClient, name: str, record_seeds):
    (line,) = record_seeds({1: 3})
    assert line["method"] == "MuVER"
    assert parent_of(client, line) is None
    assert len(record_seeds({1: 3, 7: 2})) == len(active(client, name)) == 3
