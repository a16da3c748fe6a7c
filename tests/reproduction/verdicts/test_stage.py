"""The stage of verdicts: from evaluations of a run to the matrix and the page of tests."""

import json
import shutil
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.parquet import write_table
from muver.reproduction.tables.records import ModelRow, ParametersTable
from muver.reproduction.verdicts.claims import AllMeasured
from muver.reproduction.verdicts.stage import write_verdicts
from muver.retriever.evaluation.recall import ranks_table, scored
from tests.blank import blank_evaluation

ROOT = Path(__file__).parents[3]
MENTIONS = 60
IDS = [f"m{n}" for n in range(MENTIONS)]


@pytest.fixture
def project(tmp_path):
    """A run of three rows on a dataset, and pages to write."""
    write_json(tmp_path / "docs" / "results" / "verdicts.json", AllMeasured({}))
    text = "Before.\n\n<!-- verdicts -->\n| gone |\n<!-- end of verdicts -->\n\nAfter.\n"
    (tmp_path / "README.md").write_text(text)
    return tmp_path


def add(project, row, found, dataset="realworlds"):
    """An evaluation of a row that finds the first so many mentions."""
    ranks = [1] * found + [0] * (MENTIONS - found)
    lengths = [1 + n % 100 for n in range(MENTIONS)]
    table = ranks_table(IDS, ["w"] * MENTIONS, IDS, ranks, lengths, 64)
    folder = project / "build" / dataset / "current" / "evaluations" / "test"
    own = blank_evaluation(scored(table, [1, 64], "documents"), system=row, settings={"seed": row})
    write_json(folder / f"{row}.json", own)
    write_table(folder / f"{row}.parquet", table)


def write(project, dataset=None):
    write_verdicts(dataset, project, project / "docs" / "verdicts.md", project / "README.md", True)


def lines(page, claim):
    return [line.split(" | ") for line in page.read_text().splitlines() if claim in line]


def test_verdicts_of_a_run(project):
    for row, found in {
        "muver": 50, "muver_seed10001": 49, "blink_128": 20, "blink_128_seed10001": 21,
        "muver_elsewhere": 30, "blink_128_elsewhere": 30,
    }.items():  # fmt: skip
        add(project, row, found)
    table = ParametersTable("table5", "", "", [ModelRow("MuVER (base)", 218_000_000, 0, 220)])
    write_json(project / "results" / "realworlds" / "table5.json", table)
    write(project, "realworlds")
    says = "MuVER finds more than BLINK (128 tokens)"
    header = lines(project / "README.md", "| Claim")[0]
    assert header[2:] == ["public real text |"]  # the other protocol is on the page alone
    assert lines(project / "README.md", says) == [[f"| {says}", "R@64 +6.06", "holds (+48.33) |"]]
    assert "(1 on numbers of parameters)" in (project / "README.md").read_text()
    assert not lines(project / "README.md", "AIDA-b")  # Table 2 stands on the page alone
    page = project / "docs" / "verdicts.md"
    (tested,) = lines(page, says)
    assert tested[1] == "Table 1: R@64 +6.06"
    assert tested[3].startswith("+48.33 (+") and tested[3].endswith(", 60 × 2")
    assert tested[5:] == ["+0.00 (+0.00 to +0.00), 60 × 1", "can't be told (1.000) |"]
    assert not lines(page, "more than SOM")  # not run
    assert not lines(page, "AIDA-b")  # of other data
    text = (project / "README.md").read_text()
    assert text.startswith("Before.") and text.endswith("-->\n\nAfter.\n") and "gone" not in text


RUNS = ("realworlds", "realworlds_again", "realworlds_searched")


@pytest.mark.parametrize("more", RUNS)
def test_of_several_runs_that_with_most_seeds_counts(project, more):
    for dataset in RUNS:
        add(project, "muver_plain", 30, dataset)
        add(project, "muver", 40 if dataset == more else 20, dataset)
    for row, found in {"muver_plain_seed10001": 30, "muver_seed10001": 40}.items():
        add(project, row, found, more)
    add(project, "som", 10)
    for dataset in RUNS:
        write(project, dataset)
    over_som, search = "MuVER finds more than SOM", "Heuristic search makes R@64 better"
    ((*_, cell),) = lines(project / "README.md", search)
    assert cell == "holds (+16.67) |"
    both = [line[4].split(" (")[0] for line in lines(project / "docs" / "verdicts.md", search)]
    assert sorted(both) == ["contradicted", "contradicted", "holds"]  # the page has each run
    ((*_, cell),) = lines(project / "README.md", over_som)  # the other run has no such row
    assert cell.startswith("holds")


def test_pages_are_made_of_the_record(project):
    add(project, "muver", 9)
    add(project, "muver_plain", 9)
    write(project, "realworlds")
    before = (project / "README.md").read_text()
    add(project, "muver", 60)
    write(project)
    assert (project / "README.md").read_text() == before
    record = json.loads((project / "docs" / "results" / "verdicts.json").read_text())
    made = record["datasets"]["realworlds"]
    assert set(made["rows"]) == {"test/muver", "test/muver_plain"}
    assert set(made["protocols"]["all pages"]) == {"merging_at_1", "merging_at_64"}
    assert made["fingerprints"] == {"test": "f00d"}


def test_a_run_without_rows(project):
    with pytest.raises(InputError, match="has no evaluation of a claim's row"):
        write(project, "realworlds")


def test_a_readme_without_a_place(project):
    (project / "README.md").write_text("Nothing.")
    with pytest.raises(InputError, match="has no place for the matrix"):
        write(project)


def test_the_pages_of_record_are_what_the_record_gives(tmp_path):
    pages = ("README.md", "docs/verdicts.md", "docs/results/verdicts.json")
    for page in pages:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    write(tmp_path)
    for page in pages:
        assert (tmp_path / page).read_text() == (ROOT / page).read_text(), "make verdicts"
