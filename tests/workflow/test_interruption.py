"""A killed run: nothing half-written, the lock goes, and the next call ends with the same table."""

import os
import signal
import subprocess
import time

from tests.workflow.conftest import FEW, TINY, TRAINING, copy_of_the_project

MODEL = "build/miniwikia/models/muver"


def test_after_a_kill_the_same_command_goes_on_to_the_same_table(tmp_path, by_dvc):
    project = copy_of_the_project(tmp_path)
    project.change(**{**TINY, **FEW}, training=TRAINING)
    project.commit("tiny")
    running = subprocess.Popen(
        ["snakemake", "--cores", "2", "results/table1.csv"],
        cwd=tmp_path,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    checkpoint = tmp_path / "build/miniwikia/checkpoints/muver/last.pt"
    limit = time.monotonic() + 120
    while not checkpoint.exists():
        assert running.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < limit
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()

    assert not (tmp_path / MODEL / "muver.json").exists()
    assert list((tmp_path / ".snakemake/locks").iterdir())
    assert "removed" in project.run("muver", "unlock")
    (tmp_path / MODEL).mkdir(exist_ok=True)
    (tmp_path / MODEL / "tokenizer.json").write_text("half of it")
    said = project.snakemake("results/table1.csv")
    assert "resumed at step" in said
    assert project.read("results/table1.csv") == by_dvc.read("results/table1.csv")
    assert not checkpoint.exists()
    assert not list(tmp_path.rglob(".*.tmp"))
