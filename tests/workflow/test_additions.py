"""Rows without a model, by `dvc repro` from nothing: a retriever kind and a table that one adds as
CONTRIBUTING.md says, links to what the settings ask for, the own page, and a damaged artifact.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from tests.workflow.conftest import BUILT, Project, tiny_project

KINDS = "muver/retriever/retrieval/kinds"
TABLE = "results/own_page.csv"
RUNS = (TABLE, "--until", "retrieve")
OTHER = ("--config", "bm25={k1: 2}")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """With a retriever kind and a table more; no rule and no other module is touched."""
    project = tiny_project(
        tmp_path_factory.mktemp("words"),
        results=["own_page", "mine"],
        tables={
            "own_page": {"rows": ["bm25"], "against": "bm25", "own_page": "both"},
            "mine": {"rows": ["bm25", "overlap"], "caption": "Mine: recall@k", "against": "bm25"},
        },
    )
    shutil.copy(Path(__file__).with_name("overlap.py"), project.folder / KINDS)
    path = project.folder / "params.yaml"
    params = yaml.safe_load(path.read_text(encoding="utf-8"))
    params["overlap"] = {"lower": True}
    params["systems"]["overlap"] = {"method": "Shared words", "retriever": "overlap"}
    path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
    project.run("muver", "stage", "asked")  # as `make setup` does
    project.notes["said"] = project.run("dvc", "repro")
    return project


def test_dvc_makes_rows_from_nothing(words):
    """Each stage in its turn, after which neither tool has anything to do."""
    stages = yaml.safe_load(words.read("dvc.yaml"))["stages"]
    ran = re.findall(r"^Running stage '(\w+)'", words.notes["said"], re.MULTILINE)
    assert sorted(ran) == sorted(stages)
    made = {"corpus", "segment", "retrieve", "evaluate", "own_page", "mine", "metrics", "report"}
    assert made <= words.finished(words.notes["said"])
    assert "up to date" in words.run("dvc", "status") and words.planned() == {}


def test_a_retriever_kind_is_its_module_and_params(words):
    bm25, overlap = words.lines("results/mine.csv")
    assert [bm25["method"], overlap["method"]] == ["BM25", "Shared words"]
    assert float(overlap["R@16"]) > 20
    mine = words.json("results/mine.json")
    against = [one for one in mine["contrasts"] if one["kind"] == "against"]
    assert {one["first"] for one in against} == {"overlap"} and any(one["won"] for one in against)
    listed = words.read("build/miniwikia/recorded/mine.csv").decode()
    assert all(row["row_key"] in listed for row in mine["rows"])
    assert words.json(f"{BUILT}/runs/test/overlap.json")["settings"]["lower"] is True
    page = words.read("results/report.html").decode()
    assert "Shared words" in page and mine["caption"] in page


def test_rows_with_and_without_the_own_page(words):
    rows = ["bm25", "bm25_elsewhere"]
    assert len({line["row_key"] for line in words.lines(TABLE)}) == len(rows)
    kept, left_out = (words.json(f"{BUILT}/evaluations/test/{row}.json") for row in rows)
    assert kept["own_page_first"] > left_out["own_page_first"] == 0
    # Nobody's gold is the own page, so that nothing moves down.
    assert all(left_out["hits"][k] >= count for k, count in kept["hits"].items())


def test_a_damaged_artifact_is_told_and_made_anew(words):
    """Links in ``build/DATASET/current`` follow the settings of each run meanwhile."""
    link = words.folder / BUILT / "runs/test/bm25.parquet"
    first = os.readlink(link)
    assert "artifacts as written" in words.run("muver", "verify")
    (mentions,) = words.folder.glob("build/miniwikia/corpus/*/mentions.parquet")
    data = bytearray(mentions.read_bytes())
    data[len(data) // 2] ^= 1
    mentions.write_bytes(data)
    said = words.snakemake(*RUNS, *OTHER, ok=False)
    assert f"{mentions.relative_to(words.folder)}: its bytes are not those" in said
    words.snakemake(*RUNS, *OTHER)
    assert os.readlink(link) != first
    # There are links also with nothing to be done, as the corpus has its bytes again.
    assert "Nothing to be done" in words.snakemake(*RUNS)
    assert os.readlink(link) == first
    words.run("muver", "verify")


def test_the_code_of_an_added_kind_is_followed(words):
    module = words.folder / KINDS / "overlap.py"
    module.write_text(module.read_text().replace("len(words", "1.0 * len(words"))
    assert words.planned("results/mine.csv")["retrieve"] == 1


def test_no_timer_keeps_a_call_from_its_end(words):
    """Snakemake has one for each start where the starts a second are limited, by default to 100."""
    said = words.snakemake(*RUNS, "--config", "bm25={k1: 3}", "--verbose")
    counted = r"^Resources after job selection: .*'_job_count': (\d+)"
    assert set(re.findall(counted, said, re.MULTILINE)) == {str(sys.maxsize)}
