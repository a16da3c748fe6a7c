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


def test_memory_and_time_leave_room_above_the_estimate():
    zeshel = graph(compute={"device": "cuda"})
    asked = Requests(zeshel)
    job = next(job for job in list_jobs(zeshel, True).jobs if job.stage == "train")
    place = job.of.rule, job.of.id
    assert asked.memory_mb(*place) > BASE_MB + job.estimate.memory / 2**20
    assert asked.minutes(*place) > BASE_MINUTES


def test_a_disk_holds_what_is_read_and_written():
    zeshel = graph(compute={"device": "cuda"})
    asked = Requests(zeshel)
    jobs = {(job.of.rule, job.of.id): job for job in list_jobs(zeshel, True).jobs if job.of}
    store = next(job for job in jobs.values() if job.stage == "encode")
    merged = next(job for job in jobs.values() if store.of in job.of.parents)
    held = store.estimate.disk + merged.estimate.disk
    assert asked.disk_mb(merged.of.rule, merged.of.id) > BASE_MB + held / 2**20


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
    job = next(job for job in list_jobs(graph(), True).jobs if job.stage == "encode")
    store = job.of.rule, job.of.id
    assert eight.minutes(*store) == one.minutes(*store)


def test_jobs_without_an_estimate_ask_for_the_least():
    asked = Requests(graph())
    assert asked.memory_mb("evaluate", "test/muver-00000000") == BASE_MB
    assert asked.disk_mb("evaluate", "test/muver-00000000") == BASE_MB
    assert asked.minutes("evaluate", "test/muver-00000000") == BASE_MINUTES + 1
