"""What a cluster has, from what a stand-in for sinfo lists."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.doctor.cluster import check_slurm

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
    [(None, "does not answer: Unable to contact"), ("nowhere", "sinfo was not found.*login node")],
)
def test_a_slurm_that_does_not_answer_or_is_not_there(sinfo, monkeypatch, path, said):
    sinfo("echo Unable to contact slurm controller >&2; exit 1")
    if path:
        monkeypatch.setenv("PATH", path)
    with pytest.raises(InputError, match=said):
        check_slurm([("main", 0)])
