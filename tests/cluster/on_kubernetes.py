"""The workflow in pods: `make test-cluster ARGS="-k kubernetes"`.

Kubernetes is a stand-in (kubernetes.py), which runs each pod's command in an empty folder. There it
finds what the bucket, the secrets and the image give it, and nothing of the clone; the image is
this environment.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.conftest import BUCKET, SERVERS
from tests.cluster.kubernetes import kubernetes
from tests.workflow.conftest import Project, tiny_project

PROFILE = ("--workflow-profile", "workflow/profiles/kubernetes")
PLACE = ("--default-storage-prefix", f"s3://{BUCKET}/pods")
EMPTY = ("--default-storage-prefix", f"s3://{BUCKET}/empty")
IMAGE = ("--container-image", "registry.example.org/muver:test")
TABLE = "results/table1.csv"
DATA = {"dataset": "miniwikia"}  # a folder's jobs would stay on this machine
CONFIG = ("--config", "tables={table1: [bm25]}", "tracking={enabled: false}")


def snakemake(project: Project, address: str, *arguments: str, config: Path = Path("none")):
    """Snakemake with the executor's plugin, and with keys that it hands on to pods."""
    environment = {
        **project.environment,
        "PYTHONPATH": f"{project.folder}:{SERVERS}",
        "KUBECONFIG": str(config),
        "SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": address,
        "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "muver",
        "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "muver",
    }
    return subprocess.run(
        ["snakemake", *PROFILE, *arguments], cwd=project.folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path) -> Project:
    project = tiny_project(tmp_path / "project", **DATA)
    project.warm = False
    return project


def test_pods_make_the_same_table(tmp_path, project, s3):
    local = tiny_project(tmp_path / "local", **DATA)
    local.snakemake(TABLE, *CONFIG)
    # A pod first installs the storage's plugin, which the image has.
    image = tmp_path / "image"
    image.mkdir()
    (image / "pip").write_text("#!/bin/sh\n")
    (image / "pip").chmod(0o755)
    path = f"{image}:{Path(sys.executable).parent}:/usr/bin:/bin"
    with kubernetes(tmp_path, path) as (config, cluster):
        done = snakemake(project, s3, *PLACE, *IMAGE, TABLE, *CONFIG, config=config)
    logs = "\n".join(one.read_text() for one in (tmp_path / "pods").glob("*.log"))
    assert done.returncode == 0, done.stdout + logs
    copy = f".snakemake/storage/s3/{BUCKET}/pods/{TABLE}"
    assert project.read(copy) == local.read(TABLE)
    assert len(cluster.containers) == 5  # download, corpus, segment, retrieve, evaluate
    assert {one["image"] for one in cluster.containers} == {IMAGE[1]}
    for one in cluster.containers:  # what a GPU asks for has to be its limit
        asked = one["resources"]
        assert asked["limits"].keys() == asked["requests"].keys()
        assert asked["limits"]["memory"] == asked["requests"]["memory"]


def test_a_dry_run_needs_no_cluster(project, s3):
    done = snakemake(project, s3, *EMPTY, *IMAGE, "-n", TABLE, *CONFIG)
    assert done.returncode == 0 and "retrieve " in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("given", "named"), [(EMPTY, "--container-image"), (IMAGE, "--default-storage-prefix")]
)
def test_what_a_cloud_has_to_be_given(tmp_path, project, s3, given, named):
    with kubernetes(tmp_path, "") as (config, cluster):
        done = snakemake(project, s3, *given, TABLE, *CONFIG, config=config)
    assert done.returncode and named in done.stdout, done.stdout
    assert "Traceback" not in done.stdout and not cluster.pods
