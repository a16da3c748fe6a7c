"""The page that a mention stands on, left out of its candidates, and counted where it is not."""

import csv
import io
import json

from tests.workflow.conftest import BUILT, tiny_project

ROWS = ["bm25", "bm25_elsewhere"]


def test_rows_with_and_without_the_own_page(tmp_path):
    table = {"caption": "Own page", "rows": ROWS, "against": "bm25"}
    project = tiny_project(
        tmp_path, results=["own_page"], tracking={"enabled": False}, tables={"own_page": table}
    )
    project.snakemake("results/own_page.csv")
    lines = list(csv.DictReader(io.StringIO(project.read("results/own_page.csv").decode())))
    assert len({line["row_key"] for line in lines}) == len(ROWS)
    kept, left_out = (
        json.loads(project.read(f"{BUILT}/evaluations/test/{row}.json")) for row in ROWS
    )
    assert kept["own_page_first"] > left_out["own_page_first"] == 0
    # Nobody's gold is the own page, so that nothing moves down.
    assert all(left_out["hits"][k] >= count for k, count in kept["hits"].items())
