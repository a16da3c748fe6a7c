"""Time left: what jobs should take, corrected by those that are finished."""

from pathlib import Path

import pytest

from muver.reproduction.estimate.remaining import START, Remaining, corrected, rough_costs
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")
JOBS = {1: ("train", "a"), 2: ("train", "b"), 3: ("encode", "a")}
COSTS = {("train", "a"): 10.0, ("train", "b"): 30.0, ("encode", "a"): 4.0}


@pytest.fixture
def left():
    return Remaining(JOBS, COSTS, 1)


def test_before_anything_is_finished_costs_are_seconds(left):
    assert left.seconds({}) == 44
    assert left.seconds({2: 12.0}) == 32
    assert left.seconds({2: 100.0}) == 14  # late, and so about to end


def test_jobs_beside_each_other_take_as_long_as_the_longest():
    assert Remaining(JOBS, COSTS, 4).seconds({}) == 30


def test_finished_jobs_of_a_rule_speak_for_the_others(left):
    left.finish(1, 20.0)  # twice its cost; what encoding takes is guessed by it too
    assert left.seconds({}) == 60 + 8
    left.finish(3, 1.0)
    assert left.seconds({}) == 60
    left.finish(2, 60.0)
    assert left.seconds({}) == 0


def test_a_job_without_a_model_says_nothing_of_trainings():
    small = {4: ("corpus", ""), 5: ("corpus", ""), 6: ("table4", "")}
    left = Remaining({**JOBS, **small}, COSTS, 1)
    assert left.seconds({}) == 44 + 3 * START
    left.finish(4, 20.0)
    assert left.seconds({}) == 44 + 20 + 20


def test_a_job_that_nobody_knew_of_counts_nothing(left):
    left.finish(9, 1000.0)
    assert left.seconds({}) == 44


def test_costs_may_come_later():
    left = Remaining(JOBS, {}, 1)
    assert left.seconds({}) is None
    left.costs = COSTS
    assert left.seconds({}) == 44


def test_jobs_finished_before_correct_the_costs():
    assert corrected(COSTS, {}) == COSTS
    merge = {("merge", "a"): 8.0}
    found = corrected({**COSTS, **merge}, {("train", "a"): 5.0, ("encode", "a"): 9.0})
    # Trainings at half their cost, encoding at 9 / 4; of merging nothing but the sum is known.
    assert found == {
        ("train", "a"): 5, ("train", "b"): 15, ("encode", "a"): 9, ("merge", "a"): 8,
    }  # fmt: skip


def test_trainings_cost_most(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = graph_of(resolve(PARAMS, {}))
    costs = rough_costs(graph)
    models = [("train", graph.model(name).id) for name in ("muver", "blink_128")]
    encoded = [cost for (rule, _), cost in costs.items() if rule == "encode"]
    assert costs[models[0]] > costs[models[1]] > max(encoded) > min(encoded) > START
    took = tmp_path / "logs" / graph.settings["workspace"] / "train"
    took.mkdir(parents=True)
    (took / f"{models[1][1]}.benchmark.tsv").write_text(f"s\th:m:s\n{2 * costs[models[1]]}\t-\n")
    assert rough_costs(graph) == pytest.approx({key: 2 * cost for key, cost in costs.items()})
    assert "corpus" not in {rule for rule, _ in costs}
    mine = {"dataset": str(tmp_path / "mine"), "encoder": "scratch"}
    (tmp_path / "mine" / "documents").mkdir(parents=True)
    (tmp_path / "mine" / "documents" / "world.json").touch()
    assert rough_costs(graph_of(resolve(PARAMS, mine))) == {}  # not counted yet
