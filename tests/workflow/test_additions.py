"""What one adds, added as CONTRIBUTING.md says: a retriever kind and a table."""

import csv
import io
import json
import shutil
from pathlib import Path

import yaml

from tests.workflow.conftest import tiny_project


def test_a_retriever_kind_is_its_module_and_params(tmp_path):
    """With a table of its own; no rule, no list of names, no other module is touched."""
    rows = ["bm25", "overlap"]
    project = tiny_project(
        tmp_path,
        results=["table1"],
        tables={
            "table1": ["bm25"],
            "mine": {"rows": rows, "caption": "Mine: recall@k", "against": "bm25"},
        },
    )
    kinds = project.folder / "muver/retriever/retrieval/kinds"
    shutil.copy(Path(__file__).with_name("overlap.py"), kinds)
    path = project.folder / "params.yaml"
    params = yaml.safe_load(path.read_text(encoding="utf-8"))
    params["overlap"] = {"lower": True}
    params["systems"]["overlap"] = {"method": "Shared words", "retriever": "overlap"}
    path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")

    project.snakemake("results/table1.csv", "results/mine.csv", "results/report.html")
    lines = list(csv.DictReader(io.StringIO(project.read("results/mine.csv").decode())))
    assert [line["method"] for line in lines] == ["BM25", "Shared words"]
    assert float(lines[1]["R@16"]) > 20
    mine = json.loads(project.read("results/mine.json"))
    against = [one for one in mine["contrasts"] if one["kind"] == "against"]
    assert {one["first"] for one in against} == {"overlap"} and any(one["won"] for one in against)
    listed = project.read("build/miniwikia/recorded/mine.csv").decode()
    assert all(row["row_key"] in listed for row in mine["rows"])
    made = json.loads(project.read("build/miniwikia/current/runs/test/overlap.json"))
    assert made["settings"]["lower"] is True
    page = project.read("results/report.html").decode()
    assert "Shared words" in page and mine["caption"] in page
    # Its settings and its code are followed as those of every other kind.
    assert (
        project.planned("results/mine.csv", "--config", "overlap={lower: false}")["retrieve"] == 1
    )
    module = kinds / "overlap.py"
    module.write_text(module.read_text().replace("len(words", "1.0 * len(words"))
    assert project.planned("results/mine.csv")["retrieve"] == 1
    said = project.snakemake("-n", "--config", "overlap={lowre: true}", ok=False)
    assert "overlap.lowre" in said and "lower" in said
