"""``build/DATASET/current`` leads to what the settings ask for, also with nothing to be done."""

import os

from tests.workflow.conftest import BUILT, tiny_project


def test_links_follow_the_settings_of_each_run(tmp_path):
    table = {"caption": "Words", "rows": ["bm25"], "against": "bm25"}
    project = tiny_project(
        tmp_path, results=["mine"], tracking={"enabled": False}, tables={"mine": table}
    )
    link = project.folder / BUILT / "runs/test/bm25.parquet"
    project.snakemake("results/mine.csv")
    first = os.readlink(link)
    project.snakemake("results/mine.csv", "--config", "bm25={k1: 2}")
    assert os.readlink(link) != first
    project.snakemake("results/mine.csv")
    assert os.readlink(link) == first
    link.unlink()
    assert "Nothing to be done" in project.snakemake("results/mine.csv")
    assert os.readlink(link) == first
