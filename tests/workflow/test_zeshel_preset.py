"""The paper's own setting, on stand-ins: a small archive of ZESHEL's shape, a small encoder."""

import shutil
from pathlib import Path

from tests import families
from tests.retriever.corpus.conftest import dataset, zeshel
from tests.workflow.conftest import BUILT, Project, copy_of_the_project

__all__ = ["dataset", "zeshel"]  # fixtures


def test_the_download_is_checked_against_the_published_counts(main_job, site, zeshel, tmp_path):
    """Fetched, unpacked, read; 3 entities are not 31929, and nothing is trained on them."""
    project = copy_of_the_project(tmp_path / "project")
    site.body = zeshel
    encoder = main_job.folder / BUILT / "start"
    said = project.snakemake(
        "results/table1.csv",
        "--config",
        "preset=zeshel",
        f"encoder={encoder}",
        f"download={{url: '{site.address}'}}",
        "segment={punkt: train}",
        "tables={table1: [bm25]}",
        ok=False,
    )
    assert "american_football entities 3 (published 31929)" in said
    assert "val mentions 4 (published 10000)" in said
    assert "Traceback" not in said
    raw = project.folder / "build/zeshel/raw/zeshel"
    assert len(list((raw / "documents").iterdir())) == 16
    assert (project.folder / "build/zeshel/download/zeshel.tar.bz2.sha256").is_file()
    assert not (project.folder / "build/zeshel/models").exists()


def table_1(project: Project, preset: str, encoder: object, row: str) -> None:
    """Make Table 1 of a row by a preset on the tiny data."""
    said = project.snakemake(
        "results/table1.csv", "--config", f"preset={preset}", f"workspace={preset}",
        "dataset=.test/tiny", f"encoder={encoder}", "segment={punkt: train}",
        f"tables={{table1: [{row}]}}", "tracking={enabled: false}",
    )  # fmt: skip
    assert "Traceback" not in said


def test_the_small_encoder_s_preset_runs_by_the_encoder_s_own_pooling(main_job, tmp_path):
    """A sentence encoder in place of MiniLM: mean over all pieces, one length, prompts."""
    project = main_job.copy(tmp_path / "copy")
    encoder = Path(shutil.copytree(project.folder / BUILT / "start", tmp_path / "encoder"))
    families.with_modules(encoder, "mean", query="who :", passage="page :")
    table_1(project, "zeshel_small", encoder, "muver_plain")
    model = project.json("build/zeshel_small/current/models/muver/muver.json")
    assert (model["pooling"], model["context"]["prompt"]) == ("all", "who :")
    assert model["views"]["prompt"] == "page :"
    assert 15 < model["scale"] < 30 and model["scale"] != 20
    evaluation = project.json("build/zeshel_small/current/evaluations/test/muver_plain.json")
    assert evaluation["settings"]["encoder"]["vectors"]["normalised"] is True
    assert evaluation["settings"]["retrieve"]["aggregate"] == "max"


def test_the_paper_s_hyper_parameters_run_on_a_small_encoder(main_job, tmp_path):
    """Batch 128, 20 epochs, 40-token views, 4 layers of merging, softmax over 200 titles.

    The preset and the folder have ZESHEL's name, but the data are others: nothing stands beside.
    """
    project = main_job.copy(tmp_path / "copy")
    table_1(project, "zeshel", f"{BUILT}/start", "muver")
    table = project.json("results/table1.json")
    (row,) = table["rows"]
    assert (table["dataset"], row["method"], table["published"]) == ("zeshel", "MuVER", [])
    card = project.json("build/zeshel/current/models/muver/muver.json")
    training = card["provenance"]["training"]
    assert [training[key] for key in ("batch_size", "epochs", "learning_rate")] == [128, 20, 1e-5]
