"""DVC around the workflow: both tools agree on what is up to date, here and in a second clone."""

import shutil

import pytest

from tests.workflow.conftest import FEW, TINY, TRAINING, Project, copy_of_the_project

MODEL = "build/miniwikia/models/muver/entity_encoder/model.safetensors"
TABLE = "results/table1.csv"


@pytest.fixture
def copy(by_dvc, tmp_path):
    """The finished project once more, records and cache included, to change things in."""
    shutil.copytree(by_dvc.folder, tmp_path / "copy", symlinks=True)
    return Project(tmp_path / "copy")


def test_both_tools_have_nothing_left_to_do(by_dvc):
    assert "up to date" in by_dvc.run("dvc", "repro")
    assert by_dvc.run("dvc", "status", "-q") == ""
    assert by_dvc.planned() == {}


def test_the_same_table_from_either_tool(by_dvc, tmp_path):
    """A fresh folder, Snakemake in place of DVC, then DVC over it: the same bytes throughout."""
    project = copy_of_the_project(tmp_path)
    project.change(**{**TINY, **FEW}, training=TRAINING)
    project.commit("tiny")
    project.snakemake()
    assert project.read(TABLE) == by_dvc.read(TABLE)
    trained = (project.folder / MODEL).stat().st_mtime_ns
    said = project.run("dvc", "repro")
    assert "Nothing to be done" in said
    assert (project.folder / MODEL).stat().st_mtime_ns == trained
    assert project.read(TABLE) == by_dvc.read(TABLE)
    assert "up to date" in project.run("dvc", "repro")


def test_a_changed_merge_section_never_retrains(copy):
    trained = (copy.folder / MODEL).stat().st_mtime_ns
    copy.change(merge={"top_k": 0.2})
    planned = copy.planned()
    assert planned["merge"] == 1
    assert planned["retrieve"] == 1  # the row without merged views stays
    assert not {"corpus", "segment", "encoder", "train", "encode", "bm25"} & set(planned)
    before = copy.read(TABLE)
    copy.run("dvc", "repro")
    assert (copy.folder / MODEL).stat().st_mtime_ns == trained
    assert copy.read(TABLE) != before  # the row's key at least
    assert copy.planned() == {}


def test_swapped_numbers_are_a_change(copy):
    copy.change(bm25={"k1": 0.9, "b": 0.4})
    copy.snakemake()
    copy.change(bm25={"k1": 0.4, "b": 0.9})
    assert copy.planned()["bm25"] == 1


def test_a_dropped_row_leaves_its_files_and_the_table(copy):
    run = copy.folder / "build/miniwikia/runs/test/bm25.parquet"
    assert run.is_file()
    copy.change(tables={"table1": ["muver_plain", "muver"]})
    copy.run("dvc", "repro")
    assert not run.exists()
    assert not (copy.folder / "build/miniwikia/evaluations/bm25.json").exists()
    assert b"BM25" not in copy.read(TABLE)


def test_a_second_clone_pulls_adopts_and_has_nothing_to_do(by_dvc, copy, tmp_path):
    copy.run("dvc", "remote", "add", "-d", "shelf", str(tmp_path / "shelf"))
    copy.commit("a remote")
    copy.run("dvc", "push")
    copy.run("git", "clone", "-q", str(copy.folder), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")
    clone.run("dvc", "pull")
    assert clone.run("dvc", "status", "-q") == ""

    # Without records a changed parameter would go unnoticed: refused, and said what to type.
    refused = clone.snakemake("-n", ok=False)
    assert "make pull" in refused
    assert "Traceback" not in refused

    clone.snakemake("--touch", "--forceall")
    assert clone.planned() == {}
    assert "up to date" in clone.run("dvc", "repro")
    assert clone.read(TABLE) == by_dvc.read(TABLE)
    clone.change(merge={"top_k": 0.2})
    assert "merge" in clone.planned()
