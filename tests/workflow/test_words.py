"""Two rows of BM25: links to what the settings ask for, the own page, and a damaged artifact."""

import csv
import io
import json
import os
import re
import sys

import pytest

from tests.workflow.conftest import BUILT, Project, tiny_project

TABLE = "results/own_page.csv"
ROWS = ["bm25", "bm25_elsewhere"]
OTHER = ("--config", "bm25={k1: 2}")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Project:
    table = {"rows": ["bm25"], "against": "bm25", "own_page": "both"}
    project = tiny_project(
        tmp_path_factory.mktemp("words"),
        results=["own_page"],
        tracking={"enabled": False},
        tables={"own_page": table},
    )
    project.notes["said"] = project.snakemake("--verbose", TABLE)
    return project


def test_no_timer_keeps_a_call_from_its_end(words):
    """Snakemake has one for each start where the starts a second are limited, by default to 100."""
    counted = r"^Resources after job selection: .*'_job_count': (\d+)"
    assert set(re.findall(counted, words.notes["said"], re.MULTILINE)) == {str(sys.maxsize)}


def test_rows_with_and_without_the_own_page(words):
    lines = list(csv.DictReader(io.StringIO(words.read(TABLE).decode())))
    assert len({line["row_key"] for line in lines}) == len(ROWS)
    kept, left_out = (
        json.loads(words.read(f"{BUILT}/evaluations/test/{row}.json")) for row in ROWS
    )
    assert kept["own_page_first"] > left_out["own_page_first"] == 0
    # Nobody's gold is the own page, so that nothing moves down.
    assert all(left_out["hits"][k] >= count for k, count in kept["hits"].items())


def test_a_damaged_artifact_is_told_and_made_anew(words):
    """Links in ``build/DATASET/current`` follow the settings of each run meanwhile."""
    made, link = words.read(TABLE), words.folder / BUILT / "runs/test/bm25.parquet"
    first = os.readlink(link)
    assert "artifacts as written" in words.run("muver", "verify")
    (mentions,) = words.folder.glob("build/miniwikia/corpus/*/mentions.parquet")
    data = bytearray(mentions.read_bytes())
    data[len(data) // 2] ^= 1
    mentions.write_bytes(data)
    said = words.snakemake(TABLE, *OTHER, ok=False)
    assert f"{mentions.relative_to(words.folder)}: its bytes are not those" in said
    words.snakemake(TABLE, *OTHER)
    assert os.readlink(link) != first
    link.unlink()
    words.snakemake(TABLE)
    assert os.readlink(link) == first
    assert words.read(TABLE) == made
    words.run("muver", "verify")
    link.unlink()  # there are links also with nothing to be done
    assert "Nothing to be done" in words.snakemake(TABLE)
    assert os.readlink(link) == first
