"""What jobs ask of a cluster's scheduler."""

from pathlib import Path

import pytest

from muver.reproduction.estimate.jobs import list_jobs
from muver.reproduction.estimate.requests import BASE_MB, BASE_MINUTES, Requests
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")


@pytest.fixture(autouse=True)
def nothing_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def graph(**overrides):
    return graph_of(resolve(PARAMS, {"preset": "zeshel", **overrides}))


def test_room_above_the_estimate():
    zeshel = graph(compute={"device": "cuda"})
    asked, jobs = Requests(zeshel), {job.key: job for job in list_jobs(zeshel, True).jobs}
    merged = next(job for job in jobs.values() if job.of.rule == "merge")
    model, store = (jobs[one.rule, one.id] for one in merged.of.parents)
    assert asked.memory_mb(*merged.key) > BASE_MB + merged.memory / 2**20
    # A disk holds what is read and written.
    held = model.disk + store.disk + merged.disk
    assert asked.disk_mb(*merged.key) > BASE_MB + held / 2**20
    assert asked.minutes(*merged.key) > BASE_MINUTES


def test_a_retry_asks_for_as_much_again():
    asked = Requests(graph())
    muver = graph().model("muver").id
    assert asked.memory_mb("train", muver, attempt=2) == 2 * asked.memory_mb("train", muver)
    assert asked.minutes("train", muver, attempt=3) == 3 * asked.minutes("train", muver)


def test_a_gpu_takes_less_time():
    place = "train", graph().model("muver").id
    on_cpu = Requests(graph(compute={"device": "cpu"})).minutes(*place)
    assert Requests(graph(compute={"device": "cuda"})).minutes(*place) < on_cpu


def test_processes_share_a_training_and_nothing_else():
    one, eight = (
        Requests(graph(compute={"device": "cuda", "processes": number})) for number in (1, 8)
    )
    place = "train", graph().model("muver").id
    share = (one.minutes(*place) - BASE_MINUTES) / 8
    assert eight.minutes(*place) == pytest.approx(BASE_MINUTES + share, abs=1)
    store = next(job.key for job in list_jobs(graph(), True).jobs if job.of.rule == "encode")
    assert eight.minutes(*store) == one.minutes(*store)


def test_jobs_that_nobody_knows_ask_for_the_least():
    asked = Requests(graph())
    assert asked.memory_mb("comparison", "") == asked.disk_mb("comparison", "") == BASE_MB
    assert asked.minutes("comparison", "") == BASE_MINUTES + 1
