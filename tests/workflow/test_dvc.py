"""DVC around the workflow: both tools agree on what is up to date, here and in a second clone."""

import pytest

from tests.workflow.conftest import FEW, Project

BUILD = "build/miniwikia"
MODEL = f"{BUILD}/models/muver/entity_encoder/model.safetensors"
TABLE = "results/table1.csv"


@pytest.fixture(scope="module")
def adopted(main_job, tmp_path_factory):
    """All results, made by Snakemake; then DVC is asked for three rows."""
    project = main_job.copy(tmp_path_factory.mktemp("adopted") / "copy")
    project.change(**FEW)
    project.commit("three rows")
    project.notes = {"said": project.run("dvc", "repro")}
    return project


def test_both_tools_have_nothing_left_to_do(by_dvc):
    assert "up to date" in by_dvc.run("dvc", "repro")
    assert by_dvc.planned() == {}


def test_the_same_table_from_either_tool(main_job, adopted, by_dvc):
    """DVC over what Snakemake made: nothing is trained, and the bytes are those of DVC alone."""
    assert "Nothing to be done" in adopted.notes["said"]
    trained = [(project.folder / MODEL).stat().st_mtime_ns for project in (main_job, adopted)]
    assert trained[0] == trained[1]
    assert adopted.read(MODEL) == by_dvc.read(MODEL)
    assert adopted.read(TABLE) == by_dvc.read(TABLE)
    assert "up to date" in adopted.run("dvc", "repro")


def test_a_dropped_row_leaves_its_files_and_the_table(main_job, adopted):
    for file in (
        f"{BUILD}/models/partalidou/muver.json",
        f"{BUILD}/runs/test/partalidou.parquet",
        f"{BUILD}/evaluations/partalidou.json",
        "results/table3.csv",
    ):
        assert (main_job.folder / file).is_file()
        assert not (adopted.folder / file).exists()
    # What a table still declares stays, for when it is asked for.
    assert (adopted.folder / f"{BUILD}/evaluations/som.json").is_file()
    assert b"Partalidou" in main_job.read(TABLE) and b"Partalidou" not in adopted.read(TABLE)


def test_a_changed_merge_section_never_retrains(by_dvc):
    """DVC does so as well: test_dvc_views.py."""
    planned = by_dvc.planned("--config", "merge={top_k: 0.2}")
    assert planned["merge"] == 1
    assert planned["retrieve"] == 1  # the row without merged views stays
    assert not {"corpus", "segment", "encoder", "train", "encode", "bm25"} & set(planned)


def test_swapped_numbers_are_a_change(by_dvc):
    assert by_dvc.planned("--config", "bm25={k1: 0.4, b: 0.9}")["bm25"] == 1


def test_a_second_clone_pulls_adopts_and_has_nothing_to_do(by_dvc, tmp_path):
    copy = by_dvc.copy(tmp_path / "copy")
    copy.run("dvc", "remote", "add", "-d", "shelf", str(tmp_path / "shelf"))
    copy.commit("a remote")
    copy.run("dvc", "push")
    copy.run("git", "clone", "-q", str(copy.folder), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")
    clone.run("dvc", "pull")
    assert clone.run("dvc", "status", "-q") == ""  # as `make pull` asks

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
