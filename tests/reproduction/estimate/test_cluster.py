"""What a cluster has, from what a stand-in for sinfo lists; the image of a cloud's jobs."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.estimate.cluster import (
    BASE_MB,
    BASE_MINUTES,
    Requests,
    check_image,
    check_slurm,
)
from muver.reproduction.estimate.jobs import list_jobs
from tests.reproduction.settings import graph as graph_of

# As Slurm prints partitions and generic resources: two kinds of GPU on a node, sockets, none.
LISTED = """\
main (null)
fast gpu:a100:4(S:0-1),gpu:v100:2(S:1),nvme:1
fast gpu:2
"""


@pytest.fixture
def sinfo(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def lists(script: str) -> None:
        (tmp_path / "sinfo").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "sinfo").chmod(0o755)

    lists(f"cat <<'END'\n{LISTED}END")
    return lists


def test_what_the_cluster_has(sinfo):
    check_slurm([("main", 0), ("fast", 6), (None, 6)])


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (("mian", 0), "no partition 'mian', but fast, main. Did you mean 'main'"),
        (("main", 1), "asks for 1 GPUs .* main has 0"),
        (("fast", 7), "asks for 7 GPUs .* fast has 6"),
        ((None, 7), "has 6"),
    ],
)
def test_what_it_has_not(sinfo, asked, named):
    with pytest.raises(InputError, match=named):
        check_slurm([("main", 0), asked])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (None, "does not answer: Unable to contact"),
        ("nowhere", "sinfo was not found.*login node"),
    ],
)
def test_a_slurm_that_does_not_answer_or_is_not_there(sinfo, monkeypatch, path, said):
    sinfo("echo Unable to contact slurm controller >&2; exit 1")
    if path:
        monkeypatch.setenv("PATH", path)
    with pytest.raises(InputError, match=said):
        check_slurm([("main", 0)])


def test_an_image_has_to_be_named():
    from snakemake.common import get_container_image

    with pytest.raises(InputError, match="--container-image"):
        check_image(get_container_image())
    check_image("registry.example.org/muver:0.1")


def graph(**overrides):
    return graph_of(**{"preset": "zeshel", **overrides})


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


def test_tables_on_request_are_estimated_too():
    on_request = "train", graph().model("muver_l2").id
    assert Requests(graph()).memory_mb(*on_request) > 2 * BASE_MB


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
