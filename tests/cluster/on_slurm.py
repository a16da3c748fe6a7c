"""The workflow on a Slurm cluster of one node: `make test-cluster`, as root.

Outside of `make test`, as it needs Slurm's daemons (slurm.sh starts them) and takes minutes.
"""

import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.workflow.conftest import RECORDED, Project, tiny_project

PROFILE = ("--workflow-profile", "workflow/profiles/slurm")
# This node's: two cores, no accounting.
NODE = (*PROFILE, "--slurm-status-command", "squeue", "--cores", "2", "--latency-wait", "5")
NODE += ("--resources", "mem_mb=12000", "--slurm-init-seconds-before-status-checks", "2")
TABLES = ("table1", "table3", "table6", "beyond")
SUBMITTED = re.compile(r"submitted with SLURM jobid (\d+)")
MOST = 30  # submissions for all results of the default preset
PATIENCE = 300  # seconds


@pytest.fixture(scope="module")
def cluster():
    script = str(Path(__file__).with_name("slurm.sh"))
    subprocess.run([script, "start"], check=True)
    yield
    subprocess.run([script, "stop"], check=True)


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Project:
    """Table 1, made without Slurm."""
    project = tiny_project(tmp_path_factory.mktemp("local"))
    project.snakemake("results/table1.csv")
    return project


@pytest.fixture
def fresh(tmp_path, cluster) -> Project:
    project = tiny_project(tmp_path / "fresh")
    project.warm = False
    return project


def slurm(*command: str) -> str:
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def until(*states: str, name: str = "") -> str:
    """The first job in one of these states whose comment names a rule."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        for line in slurm("squeue", "--noheader", "--format", "%i %T %k").splitlines():
            job, state, comment = line.split(maxsplit=2)
            if state in states and name in comment:
                return job
        time.sleep(0.2)
    raise AssertionError(f"no job of {name} got {states}")


def begin(project: Project, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        ["snakemake", *NODE, *arguments],
        cwd=project.folder,
        env=project.environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def assert_same(project: Project, local: Project, tables: tuple[str, ...]) -> None:
    for table in tables:
        path = f"results/{table}.csv"
        assert project.read(path) == local.read(path), table
    recorded = project.read(RECORDED).decode()
    keys = re.findall(r"\b[0-9a-f]{12}\b", recorded)
    assert keys and len(keys) == len(set(keys)), recorded  # nothing twice in MLflow


def test_the_same_tables_by_few_submissions(fresh, local):
    said = fresh.run("snakemake", *NODE)
    local.snakemake()
    assert_same(fresh, local, TABLES)
    assert len(SUBMITTED.findall(said)) <= MOST, said
    assert "results/table1.csv" not in fresh.run("snakemake", *NODE, "-n", "--quiet", "all")


def test_a_cancelled_job_and_a_lost_node(fresh, local):
    """The job is submitted again, and the training goes on from its checkpoint."""
    running = begin(fresh, "results/table1.csv")
    slurm("scancel", until("RUNNING", name="train"))
    until("RUNNING", name="train")
    node = slurm("sinfo", "--noheader", "--format", "%n").strip()
    slurm("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
    time.sleep(2)
    # Slurm refuses this where the node has returned by itself.
    subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"])
    assert "down" not in slurm("sinfo", "--noheader", "--format", "%t")
    said, _ = running.communicate(timeout=PATIENCE * 3)
    assert running.returncode == 0, said
    assert_same(fresh, local, ("table1",))


def test_a_job_that_needs_more_memory_asks_for_it(fresh, local):
    """At first 60 MB, which Python alone exceeds; the second try has gigabytes."""
    said = fresh.run(
        "snakemake", *NODE, "results/table1.csv",
        "--set-resources", "pretrain:mem_mb=60 if attempt == 1 else 4000",
    )  # fmt: skip
    assert "pretrain: failed" in said
    assert_same(fresh, local, ("table1",))
