"""What the machine has."""

import os

import psutil

from muver.io.pruning import size
from muver.reproduction.estimate.machine import Machine, this_machine


def test_room_is_what_is_free_and_what_the_folder_holds(tmp_path):
    (tmp_path / "run" / "kb").mkdir(parents=True)
    (tmp_path / "run" / "kb" / "part").write_bytes(b"x" * 3_000_000)
    (tmp_path / "run" / "manifest.json").write_bytes(b"x" * 17)
    (tmp_path / "elsewhere").write_bytes(b"x" * 50_000_000)
    (tmp_path / "run" / "dump").symlink_to(tmp_path / "elsewhere")
    assert 3_000_017 <= size(tmp_path / "run") < 3_100_000
    machine = this_machine(tmp_path / "run" / "deeper" / "still")
    assert machine.memory == psutil.virtual_memory().total
    assert (machine.cores, machine.folder) == (os.cpu_count(), str(tmp_path / "run/deeper/still"))
    assert 0 < machine.room <= psutil.disk_usage("/").total + psutil.disk_usage(tmp_path).total


def test_jobs_at_once():
    compute = {"device": "auto", "threads": 2, "processes": 1}
    for cores, gpus, jobs in ((8, 0, 4), (1, 0, 1), (8, 2, 1)):
        assert Machine("build", 1, 1, cores, gpus).at_once(compute) == jobs


def test_a_gpu_that_is_asked_for_may_be_another_machines():
    here = Machine("build", 1, 1, 8, gpus=0)
    assert here.gives_gpu({"device": "cuda"})
    assert not here.gives_gpu({"device": "auto"})
    assert not Machine("build", 1, 1, 8, gpus=2).gives_gpu({"device": "cpu"})
