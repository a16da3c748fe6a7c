"""Every table and figure of the default run, as files that a reader opens."""

import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import ir_measures
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.reproduction.report.pages import data_of
from tests.workflow.conftest import BUILT, PARAMS

RECORDED = "build/miniwikia/recorded"


def table(project, name: str) -> list[dict[str, str]]:
    return project.lines(f"results/{name}.csv")


def test_recall_by_number_of_views(main_job):
    lines = table(main_job, "table3")
    assert [line["method"] for line in lines] == [
        "BLINK (512 tokens)", "SOM", "MuVER (w/o heuristic search)", *["MuVER"] * 4,
    ]  # fmt: skip
    assert [line["search"] for line in lines] == [
        *[""] * 3, *["as released"] * 2, *["wasted choices replaced"] * 2,
    ]  # fmt: skip
    views = [float(line["# of Views"] or line["# of Views (close)"]) for line in lines]
    assert views[0] == 1
    assert views[2] < views[3] < views[4]  # a layer only adds
    assert views[5] - views[2] == pytest.approx(views[6] - views[5], abs=0.02)  # as many each time
    main = {line["method"]: line for line in table(main_job, "table1")}
    assert lines[4]["row_key"] == main["MuVER"]["row_key"]
    assert lines[4]["Distant Pairs"] == main["MuVER"]["R@16"]
    assert lines[2]["Distant Pairs"] == lines[2]["Close Pairs"]


def test_each_dataset_keeps_its_own_and_the_plain_name_is_the_last_one_s(main_job, tmp_path):
    name, mine = "results/table4.csv", tmp_path / "mine"
    shutil.copytree(main_job.folder / ".test/tiny", mine)
    before = main_job.read(name)
    main_job.snakemake(name, "--config", f"dataset={mine}", "encoder=scratch")
    assert (main_job.folder / name).readlink() == Path("mine/table4.csv")
    assert "mine" in main_job.read("results/table4.md").decode().splitlines()[0]
    assert main_job.read("results/miniwikia/table4.csv") == before
    assert main_job.counts(main_job.snakemake(name)) == {"latest": 1}
    assert (main_job.folder / name).readlink() == Path("miniwikia/table4.csv")


@pytest.mark.parametrize("name", ["figure2", "table3"])
def test_figures_are_images(main_job, name):
    drawing = f"results/miniwikia/figures/{name}"
    assert main_job.read(f"{drawing}.png").startswith(b"\x89PNG")
    assert ElementTree.fromstring(main_job.read(f"{drawing}.svg")).tag.endswith("svg")


def test_the_grid_s_choice_is_by_validation(main_job):
    lines = table(main_job, "grid")
    recall = {line["learning_rate"]: float(line["R@16"]) for line in lines}
    assert [*recall] == ["0.001", "0.002"]
    chosen = [line["learning_rate"] for line in lines if line["chosen"] == "true"]
    assert chosen == [max(recall, key=recall.__getitem__)]
    listed = main_job.lines(f"{RECORDED}/grid.csv")
    assert len(listed) == 1 + len(lines)  # the parent and its points


def test_beyond_the_paper_with_what_validation_chose(main_job):
    assert [line["method"] for line in table(main_job, "beyond")] == [
        "MuVER", "MuVER, global view", "MuVER + BM25 (reciprocal rank)", "MuVER + words",
        "MuVER, log-mean-exp",
    ]  # fmt: skip
    weighted = main_job.json(f"{BUILT}/runs/test/muver_bm25.json")["chosen"]
    hits = {tuple(tried["weights"]): tried["hits"] for tried in weighted["tried"]}
    assert hits[tuple(weighted["weights"])] == max(hits.values())
    assert weighted["mentions"] == 12  # those of validation
    found = main_job.json(f"{BUILT}/runs/test/muver_log_mean_exp.json")["chosen"]
    hits = {tried["temperature"]: tried["hits"] for tried in found["tried"]}
    assert list(hits) == [0.5, 2] and hits[found["temperature"]] == max(hits.values())


def test_a_second_stage_orders_the_first_candidates_of_another_row_anew(main_job):
    """The first four, and leaves the others where they are; its negatives are another row's too."""
    runs = main_job.folder / BUILT / "runs"
    first, second = (
        pq.read_table(runs / f"test/{row}.parquet") for row in ("muver", "muver_reranked")
    )
    behind = pc.greater(first["rank"], 4)
    assert first.filter(behind)["entity"] == second.filter(behind)["entity"]
    assert first["entity"] != second["entity"]
    assert len(pq.read_table(main_job.folder / BUILT / "negatives/cross.parquet")) == 40
    assert {path.parent.name for path in runs.glob("*/muver_plain.*")} == {"train", "val", "test"}


def test_a_footnote_names_the_pooling_that_validation_chose(main_job):
    rows = main_job.json("results/table1.json")["rows"]
    notes = {row["system"]: row["note"] for row in rows}
    log = main_job.read(f"{BUILT}/models/partalidou/training_log.jsonl").decode()
    chosen = json.loads(log.splitlines()[-1])["chosen"]
    pooling = PARAMS["models"][chosen].get("pooling", "all")  # the preset's own for BLINK
    assert f"Validation chose model {chosen} (pooling {pooling}) among " in notes["partalidou"]
    assert "Validation chose" not in notes["blink_128"]


def test_a_run_beside_the_numbers_of_record_that_were_made_of_it(main_job):
    main_job.run("muver", "stage", "results-page", "--command", "make results")
    assert "## Table 1: recall@k" in main_job.read("docs/results/miniwikia.md").decode()
    said = main_job.run("muver", "doctor", "record")
    assert re.search(r"^Rows: \d+ equal\.$", said, re.MULTILINE)


@pytest.mark.parametrize("system", ["bm25", "muver"])
def test_other_tools_score_the_run_files_to_the_same_numbers(main_job, system):
    trec = main_job.folder / BUILT / "evaluations/test"
    measures = [ir_measures.Success @ k for k in (1, 2, 4, 8, 16)]
    found = ir_measures.calc_aggregate(
        measures,
        list(ir_measures.read_trec_qrels(str(trec / f"{system}.qrels"))),
        list(ir_measures.read_trec_run(str(trec / f"{system}.run"))),
    )
    ours = main_job.json(f"{BUILT}/evaluations/test/{system}.json")["micro"]
    for measure in measures:
        assert 100 * found[measure] == pytest.approx(ours[str(measure.params["cutoff"])])


def test_the_page_shows_all_results_and_nothing_is_wrong_with_them(main_job):
    page = main_job.read("results/report.html").decode()
    for name in PARAMS["results"]:
        assert f'<section id="{name}">' in page
    assert 'id="problems"' not in page
    assert str(main_job.folder) not in page
    rows = data_of(main_job.folder / "results/report.html")["rows"]
    assert {"muver_plain", "muver"} <= {row["system"] for row in rows}


def test_a_changed_statistic_loads_no_model(main_job):
    """And a further value of the grid trains its points alone."""
    planned = main_job.planned(
        "--config",
        "sweep={searches: [close_full]}",
        "figures={figure2: {bin: 10}}",
        "fusion={constant: 10}",
        "grid={warmup: [0], learning_rate: [0.001]}",
    )
    assert planned == {
        **{"table3": 1, "figure2": 1},
        **{"retrieve": 1, "evaluate": 1, "beyond": 1},
        **{"grid_point": 1, "grid": 1},
        **{"metrics": 1, "report": 1, "latest": 5},
    }
