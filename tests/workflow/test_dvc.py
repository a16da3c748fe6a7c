"""DVC around the workflow: both tools agree on what is up to date, here and in a second clone."""

import re

import pytest

from tests.workflow.conftest import BUILT, FEW

MODEL = f"{BUILT}/models/muver/entity_encoder/model.safetensors"
TABLE = "results/table1.csv"


@pytest.fixture(scope="module")
def adopted(main_job, tmp_path_factory):
    """All results, then three rows, made by Snakemake and told to DVC as `make results` does."""
    project = main_job.copy(tmp_path_factory.mktemp("adopted") / "copy")
    project.change(**FEW)
    project.commit("three rows")
    project.snakemake()
    project.run("muver", "stage", "asked")
    project.run("dvc", "commit", "--force")
    return project


def test_the_same_table_from_either_tool(main_job, adopted, by_dvc):
    """DVC takes what Snakemake made: nothing is trained, and the bytes are those of DVC alone."""
    trained = [(project.folder / MODEL).stat().st_mtime_ns for project in (main_job, adopted)]
    assert trained[0] == trained[1]
    assert adopted.read(MODEL) == by_dvc.read(MODEL)
    assert adopted.read(TABLE) == by_dvc.read(TABLE)
    for project, command in ((adopted, "status"), (by_dvc, "repro")):
        assert "up to date" in project.run("dvc", command)


def test_a_dropped_row_leaves_the_table_and_its_files_stay(main_job, adopted):
    assert b"Partalidou" in main_job.read(TABLE) and b"Partalidou" not in adopted.read(TABLE)
    dropped = main_job.place("models", "partalidou")
    assert (adopted.folder / dropped.path / "muver.json").is_file()
    assert dropped.path in adopted.run("muver", "prune")
    assert dropped.id not in adopted.read("build/miniwikia/.dvcignore").decode()
    kept = adopted.place("evaluations", "test/muver")
    assert kept.path not in adopted.run("muver", "prune")


def test_another_seed_loses_nothing_and_back_again_costs_nothing(by_dvc, tmp_path):
    """In both tools; the trial's files are none of DVC's. A preset that nobody uses marks nothing
    meanwhile. A repeat seed's files are DVC's own.
    """
    project = by_dvc.copy(tmp_path / "copy")
    before = project.read(MODEL), project.read(TABLE)
    project.snakemake("results/table1.csv", "--config", "seed=7")
    project.change("zeshel", training={"epochs": 3})
    changed = re.findall(r"^(\w+):$", project.run("dvc", "status"), re.MULTILINE)
    # The table is the trial's, the models are as params.yaml has them.
    assert changed == ["settings", "tables"]
    assert project.read(MODEL) != before[0] and project.read(TABLE) != before[1]
    said = project.run("dvc", "repro")
    assert set(re.findall(r"Running stage '(\w+)'", said)) == {"settings", "tables"}
    assert project.read(MODEL) == before[0] and project.read(TABLE) == before[1]
    remade = {"table1", "latest", "metrics", "report"}  # named by no key
    assert project.finished(said) >= remade and "train" not in project.finished(said)

    project.change(repeat_seeds=[7], tables={"table1": ["muver_plain"]})
    project.run("muver", "stage", "asked")
    start = project.place("pretrained", "seed7")
    assert start.id in project.read("build/miniwikia/asked/pretrain.json").decode()
    assert project.planned("stage_pretrain")["pretrain"] == 1  # the target of DVC's stage
    assert f"!/pretrained/{start.id}" in project.read("build/miniwikia/.dvcignore").decode()
    assert start.path not in project.run("muver", "prune")


def test_a_second_clone_pulls_and_has_nothing_to_do(by_dvc, tmp_path):
    copy = by_dvc.copy(tmp_path / "copy")
    clone = copy.moved_by_dvc(str(tmp_path / "shelf"), tmp_path / "clone")
    clone.snakemake("--touch")  # as `make pull` does: what came along is as old as its inputs
    assert clone.counts(clone.snakemake()) == {"latest": 3}
    assert "up to date" in clone.run("dvc", "repro")
    assert clone.read(TABLE) == by_dvc.read(TABLE)
