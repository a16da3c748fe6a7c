"""DVC around the workflow: both tools agree on what is up to date, here and in a second clone."""

import re

from tests.workflow.conftest import BUILT, Project

MODEL = f"{BUILT}/models/muver/entity_encoder/model.safetensors"
RUN = f"{BUILT}/runs/test/bm25.parquet"
TABLE = "results/table1.csv"


def test_dvc_takes_what_snakemake_made(main_job, by_dvc):
    """Of the killed run too: the lock is gone, and nothing is trained anew."""
    trained = [(project.folder / MODEL).stat().st_mtime_ns for project in (main_job, by_dvc)]
    assert trained[0] == trained[1]
    header, *rows = by_dvc.read(TABLE).splitlines()
    assert len(rows) == 3 and {header, *rows} <= {*main_job.read(TABLE).splitlines()}
    assert "up to date" in by_dvc.run("dvc", "repro")


def test_a_dropped_row_leaves_the_table_and_its_files_stay(main_job, by_dvc):
    assert b"Partalidou" in main_job.read(TABLE) and b"Partalidou" not in by_dvc.read(TABLE)
    dropped = main_job.place("models", "partalidou")
    assert (by_dvc.folder / dropped.path / "muver.json").is_file()
    assert dropped.path in by_dvc.run("muver", "prune")
    assert dropped.id not in by_dvc.read("build/miniwikia/.dvcignore").decode()
    kept = by_dvc.place("evaluations", "test/muver")
    assert kept.path not in by_dvc.run("muver", "prune")


def test_other_settings_lose_nothing_and_back_again_costs_nothing(by_dvc, tmp_path):
    """In both tools. A trial's files are none of DVC's; a preset that nobody uses marks nothing."""
    project = by_dvc.copy(tmp_path / "copy")
    before = project.read(RUN), project.read(TABLE)
    project.snakemake(TABLE, "--config", "bm25={k1: 2}")
    project.change("zeshel", training={"epochs": 3})
    changed = re.findall(r"^(\w+):$", project.run("dvc", "status"), re.MULTILINE)
    # The table is the trial's, the runs are as params.yaml has them.
    assert changed == ["settings", "tables"]
    assert project.read(RUN) != before[0] and project.read(TABLE) != before[1]
    said = project.run("dvc", "repro")
    assert set(re.findall(r"Running stage '(\w+)'", said)) == {"settings", "tables"}
    assert project.read(RUN) == before[0] and project.read(TABLE) == before[1]
    remade = {"table1", "latest", "metrics", "report"}  # named by no key
    assert project.finished(said) >= remade and "retrieve" not in project.finished(said)


def test_a_second_clone_pulls_and_has_nothing_to_do(by_dvc, tmp_path):
    """The model among what was pushed is an artifact that a tag names."""
    copy = by_dvc.copy(tmp_path / "copy")
    copy.run("dvc", "remote", "add", "-d", "shelf", str(tmp_path / "shelf"))
    copy.commit("a remote")
    copy.run("git", "tag", "-a", "muver@v1.0.0", "-m", "muver v1.0.0")
    copy.run("dvc", "push")
    copy.run("dvc", "artifacts", "get", ".", "muver", "-o", str(tmp_path / "model"))
    model = tmp_path / "model" / copy.place("models", "muver").id
    assert (model / "entity_encoder/model.safetensors").read_bytes() == copy.read(MODEL)
    copy.run("git", "clone", "-q", str(copy.folder), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")
    clone.run("dvc", "pull")
    assert clone.run("dvc", "status", "-q") == ""
    clone.snakemake("--touch")  # as `make pull` does: what came along is as old as its inputs
    assert clone.counts(clone.snakemake()) == {"latest": 3}
    assert "up to date" in clone.run("dvc", "status")
    assert clone.read(TABLE) == by_dvc.read(TABLE)
