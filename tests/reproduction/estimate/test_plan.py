"""The full run, and what does not fit here."""

import shutil
from pathlib import Path

import pytest

from muver.reproduction.estimate.machine import Machine
from muver.reproduction.estimate.plan import ENVIRONMENT, project, told
from muver.reproduction.estimate.rates import Rates
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of

PROJECT = Path(__file__).parents[3]
RATES = Rates(1000, 100, "made up")


@pytest.fixture
def root(tmp_path, monkeypatch):
    shutil.copy(PROJECT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(root, measured=False, **overrides):
    graph = graph_of(resolve(read_params(root / "params.yaml"), overrides))
    return project(graph, Machine("build", 2**40, 2**40, 2, 0), measured)


def test_the_full_run(root):
    found = planned(root, preset="wikipedia")
    jobs = {(job["stage"], job["job"]): job for job in found["jobs"]}
    vectors = jobs["encode_part", "muver_wiki"]
    assert vectors["disk"] == pytest.approx(5_903_530 * 5 * 1024 * 2, rel=1e-6)
    assert vectors["seconds_left"] > jobs["encode_part", "blink_wiki"]["seconds_left"]
    assert any(line.startswith("encode_part       558     0   72.5 GB") for line in told(found))


def test_measured_rates(root, monkeypatch):
    monkeypatch.setattr("muver.reproduction.estimate.plan.measure", lambda encoder, compute: RATES)
    assert "(made up)" in "".join(told(planned(root, measured=True, preset="zeshel")))


def test_data_that_nobody_counted(root):
    (root / "mine/documents").mkdir(parents=True)
    (root / "mine/documents/world.json").touch()
    found = planned(root, dataset="mine", preset="directory")
    assert "not counted yet" in told(found)[0] and not found["jobs"]


@pytest.fixture
def zeshel(root):
    return graph_of(resolve(read_params(root / "params.yaml"), {"preset": "zeshel"}))


def test_what_fits(zeshel):
    def needs(cores, memory=2**40, room=2**40):
        report = project(zeshel, Machine("build", memory, room, cores, 0), False, RATES)
        return report["needs"], report

    one, alone = needs(1)
    two, _ = needs(2)
    jobs = alone["jobs"]
    largest = sorted(job["memory"] for job in jobs)[-2:]
    checkpoint = 4 * max(job["disk"] for job in jobs if job["stage"] == "train")
    assert one["memory"]["needed"] == pytest.approx(largest[1] + ENVIRONMENT)
    assert two["memory"]["needed"] == pytest.approx(sum(largest) + ENVIRONMENT)
    assert one["disk"]["needed"] == pytest.approx(sum(job["disk"] for job in jobs) + checkpoint)
    assert alone["seconds_left"] == pytest.approx(sum(job["seconds_left"] for job in jobs))
    assert one["disk"]["enough"] and one["memory"]["enough"]
    small, _ = needs(1, 2**30, 2**30)
    assert not small["disk"]["enough"] and small["memory"]["says"].endswith("too little")
