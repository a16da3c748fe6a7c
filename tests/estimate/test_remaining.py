"""Time left: what jobs should take, corrected by those that are finished."""

from pathlib import Path

import pytest

from muver.estimate.remaining import START, Remaining, remaining
from muver.settings import resolve
from muver.settings.file import read_params
from muver.workspace import graph_of

PARAMS = read_params(Path(__file__).parents[2] / "params.yaml")
JOBS = {1: ("train", 10.0), 2: ("train", 30.0), 3: ("encode", 4.0)}


def test_before_anything_is_finished_costs_are_seconds():
    assert Remaining(JOBS, 1).seconds({}) == 44
    assert Remaining(JOBS, 1).seconds({2: 12.0}) == 32
    assert Remaining(JOBS, 1).seconds({2: 100.0}) == 14  # late, and so about to end


def test_jobs_beside_each_other_take_as_long_as_the_longest():
    assert Remaining(JOBS, 4).seconds({}) == 30


def test_finished_jobs_of_a_rule_speak_for_the_others():
    left = Remaining(JOBS, 1)
    left.finish(1, 20.0)  # twice its cost; what encoding takes is guessed by it too
    assert left.seconds({}) == 60 + 8
    left.finish(3, 1.0)
    assert left.seconds({}) == 60
    left.finish(2, 60.0)
    assert left.seconds({}) == 0


def test_a_small_job_says_nothing_of_large_ones():
    left = Remaining({**JOBS, 4: ("corpus", START), 5: ("corpus", START), 6: ("segment", START)}, 1)
    left.finish(4, 20.0)
    assert left.seconds({}) == 44 + 20 + 20


def test_a_job_that_nobody_knew_of_counts_nothing():
    left = Remaining(JOBS, 1)
    left.finish(9, 1000.0)
    assert left.seconds({}) == 44


def test_at_the_start_of_a_run_trainings_weigh_most(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = graph_of(resolve(PARAMS, {"compute": {**PARAMS["compute"], "device": "cpu"}}))
    one, two = graph.model("muver"), graph.model("blink_128")
    seconds = {
        number: remaining(graph, {1: job}, cores=1).seconds({})
        for number, job in enumerate([("train", one.id), ("train", two.id), ("evaluate", "")])
    }
    assert seconds[0] > seconds[1] > seconds[2] == START
    both = {1: ("train", one.id), 2: ("train", two.id)}
    assert remaining(graph, both, cores=1).seconds({}) == pytest.approx(seconds[0] + seconds[1])
    assert remaining(graph, both, cores=2).seconds({}) == pytest.approx(seconds[0])
