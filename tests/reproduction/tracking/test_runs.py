"""Several recorders at one row: they end with one run, and all of them name it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from mlflow import MlflowClient

from muver.reproduction.tracking.entries import Entry, parent
from muver.reproduction.tracking.runs import LAYOUT, Recorder
from muver.reproduction.tracking.store import open_experiment
from tests.reproduction.tracking.conftest import active

ROW = Entry(
    key="a row", name="MuVER", tags={}, metrics={"all/recall_at_1": 75.0}, parameters={"k": "8"},
    note="", source="table1.csv",
)  # fmt: skip
SEEDS = [replace(ROW, key=f"seed {seed}", name=f"MuVER (seed {seed})") for seed in (1, 7)]
ABOVE = parent(SEEDS, key="above", name="MuVER", metrics={"seeds_mean/recall_at_1": 1.0}, note="")


class Interrupted:
    """A client that lets something happen before, or after, a call of the n-th of a name."""

    def __init__(self, client: MlflowClient, name: str, nth: int, happens, after: bool = False):
        self.client, self.name, self.left, self.happens = client, name, nth, happens
        self.after = after

    def __getattr__(self, name: str):
        call = getattr(self.client, name)

        def wrapped(*given, **named):
            self.left -= name == self.name
            now = name == self.name and self.left == 0
            if now and not self.after:
                self.happens()
            answer = call(*given, **named)
            if now and self.after:
                self.happens()
            return answer

        return wrapped


@pytest.fixture
def experiment(client: MlflowClient, name: str) -> str:
    return open_experiment(client, name, None)


def at_the_end(recorder: Recorder, entry: Entry) -> list[str]:
    """The runs that a recorder lists of an entry and its children."""
    return [recorder.run_of(part) for part in entry.tree()]


# The parent is made third, after its seeds, and finished by the third set_terminated.
@pytest.mark.parametrize(
    ("call", "nth"),
    [("create_run", 1), ("create_run", 3), ("set_terminated", 1), ("set_terminated", 3),
     ("search_runs", 2)],
)  # fmt: skip
def test_a_recorder_that_another_overtakes(
    client: MlflowClient, name: str, experiment: str, call: str, nth: int
):
    other = Recorder(client, experiment, shared=True)
    slow = Interrupted(client, call, nth, lambda: other.put(ABOVE))
    mine = Recorder(slow, experiment, shared=True)
    mine.put(ABOVE)
    assert slow.left <= 0
    above, *seeds = at_the_end(mine, ABOVE)
    runs = {run.info.run_id: run for run in active(client, name)}
    assert runs.keys() == {above, *seeds}
    assert {run.info.status for run in runs.values()} == {"FINISHED"}
    assert {runs[seed].data.tags["mlflow.parentRunId"] for seed in seeds} == {above}
    other.put(ABOVE)
    assert at_the_end(other, ABOVE) == [above, *seeds]


def test_recorders_that_both_find_two_keep_the_same(
    client: MlflowClient, name: str, experiment: str
):
    looked, finished = threading.Barrier(2, timeout=60), threading.Barrier(2, timeout=60)

    def put(recall: float) -> None:
        mine = Interrupted(client, "search_runs", 2, looked.wait, after=True)
        mine = Interrupted(mine, "set_terminated", 1, finished.wait, after=True)
        row = replace(ROW, metrics={"all/recall_at_1": recall})
        Recorder(mine, experiment, shared=True).put(row)

    with ThreadPoolExecutor(2) as pool:  # as of two machines whose arithmetic differs
        list(pool.map(put, [75.0, 74.0]))
    (run,) = active(client, name)
    assert (run.info.status, run.data.params) == ("FINISHED", {"k": "8"})


@pytest.mark.parametrize(("recorded_at", "left"), [("9999", True), ("1970", False)])
def test_an_unfinished_run_of_a_shared_store_is_left_for_a_while(
    client: MlflowClient, name: str, experiment: str, recorded_at: str, left: bool
):
    tags = {"row_key": ROW.key, "layout": LAYOUT, "recorded_at": recorded_at}
    unfinished = client.create_run(experiment, tags=tags).info.run_id
    recorder = Recorder(client, experiment, shared=True)
    recorder.put(ROW)
    there = {run.info.run_id for run in active(client, name)}
    assert there == {recorder.run_of(ROW), *([unfinished] if left else [])}
    assert client.get_run(recorder.run_of(ROW)).info.status == "FINISHED"


def test_an_experiment_that_another_recorder_makes_meanwhile(client: MlflowClient, name: str):
    made: list[str] = []
    slow = Interrupted(
        client, "create_experiment", 1, lambda: made.append(open_experiment(client, name, None))
    )
    assert [open_experiment(slow, name, None)] == made
