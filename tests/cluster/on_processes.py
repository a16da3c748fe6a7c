"""A training in two processes, one of which is killed: `make test-cluster`."""

import os
import signal
import subprocess
import time

import psutil

from tests.workflow.conftest import tiny_project

ARGUMENTS = ("results/table1.csv", "--config", "compute={processes: 2, device: cpu}")
ARGUMENTS += ("tables={table1: [blink_128]}", "tracking={enabled: false}")
PATIENCE = 120  # seconds


def second_process(project) -> psutil.Process:
    """The process of rank 1, once the training has written a checkpoint."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        if any(project.folder.glob("build/miniwikia/checkpoints/*/last.pt")):
            for process in psutil.process_iter():
                try:
                    own = process.cwd() == str(project.folder)
                    if own and process.environ().get("RANK") == "1":
                        return process
                except psutil.Error:
                    continue
        time.sleep(0.05)
    raise AssertionError("the training did not begin")


def test_a_killed_process_ends_the_job_which_goes_on_later(tmp_path):
    whole = tiny_project(tmp_path / "whole")
    whole.snakemake(*ARGUMENTS)

    project = tiny_project(tmp_path / "killed")
    running = subprocess.Popen(
        ["snakemake", "--cores", "2", *ARGUMENTS],
        cwd=project.folder,
        env=project.environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    os.kill(second_process(project).pid, signal.SIGKILL)
    said, _ = running.communicate(timeout=PATIENCE)  # and does not wait for the dead one
    assert running.returncode != 0
    assert "train blink_128: failed" in said and "SIGKILL" in said, said

    said = project.snakemake(*ARGUMENTS)
    assert "resumed at step" in said
    assert project.read("results/table1.csv") == whole.read("results/table1.csv")
