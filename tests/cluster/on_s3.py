"""The workflow with its files in a bucket: `make test-cluster ARGS="-k s3"`.

Outside of `make test`, as it takes minutes. The S3 is moto's, on this machine.
"""

import os
import signal
import subprocess
import time

import boto3
import pytest

from tests.cluster.conftest import BUCKET
from tests.workflow.conftest import CHECKPOINT, FEW, Project, tiny_project

S3 = ("--default-storage-provider", "s3", "--keep-storage-local-copies")
STORAGE = (*S3, "--default-storage-prefix", f"s3://{BUCKET}/team")
TABLE = "results/table1.csv"
PATIENCE = 900  # seconds


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Project:
    """All results of a few rows, made on this machine's disk."""
    project = tiny_project(tmp_path_factory.mktemp("local"), **FEW)
    project.snakemake()
    return project


def bucket():
    return boto3.resource("s3").Bucket(BUCKET)


def kill_in_training(project: Project) -> None:
    """Kill a run once a training has a checkpoint."""
    project.warm = False
    running = subprocess.Popen(
        ["snakemake", "--cores", "2", TABLE, *STORAGE],
        cwd=project.folder, env=project.environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    limit = time.monotonic() + PATIENCE
    while not list(project.folder.glob(CHECKPOINT)):
        assert running.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < limit
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    project.run("muver", "unlock")


def test_the_same_table_from_an_empty_bucket(tmp_path, local, s3):
    """A killed run goes on, and another clone finds all that is in the bucket."""
    first, second = (tiny_project(tmp_path / name, **FEW) for name in ("first", "second"))
    kill_in_training(first)
    said = first.snakemake(TABLE, *STORAGE)
    assert "resumed at step" in said
    assert "Table 1: recall@k" in said and "Storing in" not in said
    stored = bucket().Object(f"team/{TABLE}").get()["Body"].read()
    assert stored == local.read(TABLE)
    assert not first.planned(TABLE, *STORAGE)
    assert not (first.folder / "results").exists()
    assert not (first.folder / "build/miniwikia/models").exists()
    copies = first.folder / f".snakemake/storage/s3/{BUCKET}/team"
    assert (first.folder / "build/miniwikia/current/models/muver").resolve().is_relative_to(copies)
    # Its files are younger than what is in the bucket.
    again = (*STORAGE, "--rerun-triggers", "params")
    assert not second.planned(TABLE, *again)
    assert second.planned("results/table6.csv", *again) == {"table6": 1, "latest": 1}


def test_data_of_the_user_s_own_stay_where_they_are(tmp_path, s3):
    project = tiny_project(tmp_path / "project")
    place = ("--default-storage-prefix", f"s3://{BUCKET}/own")
    project.snakemake("--until", "corpus", *S3, *place, "results/table4.csv")
    stored = [one.key for one in bucket().objects.filter(Prefix="own/")]
    assert any(one.endswith("/entities.parquet") for one in stored)
    assert not any("/documents/" in one for one in stored)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ((*STORAGE, "--config", "preset=miniwikipedia"), "a knowledge base lies in parts"),
        (S3, "--default-storage-prefix"),
    ],
)
def test_what_no_bucket_can_hold_or_is_not_named(tmp_path, s3, wrong, named):
    said = tiny_project(tmp_path / "project").snakemake("-n", *wrong, ok=False)
    assert named in said and "Traceback" not in said


def test_dvc_moves_results_through_a_bucket(tmp_path, local, s3):
    project = local.copy(tmp_path / "project")
    project.run("muver", "stage", "asked")
    project.run("dvc", "commit", "--force", "--quiet")
    clone = project.moved_by_dvc(f"s3://{BUCKET}/shelf", tmp_path / "clone")
    model = f"{local.place('models', 'muver').path}/training_log.jsonl"
    for file in ("results/miniwikia/table1.csv", model):
        assert clone.read(file) == local.read(file)
