"""The page as a whole: what it shows, and what it says of files that do not fit together."""

import json
import os
import re
import shutil

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.reproduction.report.explorer import Report
from muver.reproduction.report.stage import make_report, page_of_made
from tests.reproduction.report.conftest import page_of
from tests.reproduction.report.made import SCRIPT, make_project
from tests.reproduction.report.pages import data_of, read_page, text_of


@pytest.fixture
def page(project, caplog):
    """Make the page of the project as it is now; its path, problems, and what the log says."""

    def make(**settings):
        with caplog.at_level("INFO", "muver"):
            return *page_of(project, **settings), caplog.text

    return make


def test_a_sound_run(page, project):
    out, problems, log = page()
    assert problems == []
    assert "2 results, 2 rows, 0 problems" in log
    text = text_of(out)
    assert "6 mentions of 2 worlds (alder, birch), candidates ranked within" in text
    assert "Table 4" in text
    assert "The first candidate is the page that the mention stands on: " in text
    ids = read_page(out).ids
    assert len(ids) == len(set(ids))
    source = out.read_text(encoding="utf-8")
    # Nothing of this machine and nothing from elsewhere; texts of the data are no markup.
    for absent in (str(project.results.parent), "/home/somebody", SCRIPT, 'src="http', "url(http",
                   "@import", '<link rel="stylesheet'):  # fmt: skip
        assert absent not in source
    assert "default-src 'none'" in source
    assert SCRIPT in data_of(out)["entities"]["title"]
    assert "tags.row_key = '" in source
    assert 'href="http://127.0.0.1:5000/#/experiments/1/runs/r1"' in source
    before = out.read_bytes()
    assert page()[0].read_bytes() == before


def test_tables_without_systems_have_no_predictions_and_no_problem(page):
    out, problems, _ = page(results=["table4"])
    assert problems == []
    text, ids = text_of(out), read_page(out).ids
    assert text.startswith(
        "muver: results on tiny Skip to the tables muver: results on tiny 1 result, 0 rows "
    )
    assert "Predictions" not in text and "Figures" not in text and "Rows" not in text
    assert not {"explorer", "figures", "rows", "table1"} & set(ids) and "run" in ids


def edit(path, change):
    """Change the content of a JSON file in place."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def another_version(project):
    edit(project.table("table1"), lambda table: table["lines"][0].update(low=[1, 2]))


def other_settings(project):
    scores = project.evaluation("bm25", "test")
    edit(scores, lambda evaluation: evaluation["settings"].update(seed=8))


def no_run_and_no_evaluation(project):
    project.run("bm25", "test").unlink()
    project.evaluation("muver", "test").unlink()


def no_corpus(project):
    shutil.rmtree(project.workspace / "corpus")


@pytest.mark.parametrize(
    ("spoil", "expected", "left", "explored"),
    [
        (lambda project: project.table("table4").unlink(),
         ["^table4: table4.json: no such file."], "MuVER 66.67 66.7 to 66.7", True),
        (another_version,
         ["^table1: table1.json: not the JSON of a table or figure of this .* Make it again.$"],
         "Table 4", False),
        (other_settings, ["^table1, BM25: the table's row key is"], "Predictions", True),
        (no_run_and_no_evaluation,
         ["evaluations/test/muver.json", "runs/test/bm25.parquet"],
         "MuVER 66.67 66.7 to 66.7", False),
        (no_corpus,
         ["^The predictions cannot be shown: corpus/mentions.parquet: no such file. Run the corpus "
          "stage that makes it.$"], "BM25", False),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_and_the_rest_is_shown(
    page, project, spoil, expected, left, explored
):
    spoil(project)
    out, problems, log = page(results=["table1", "table4"])
    text = text_of(out)
    for problem, words in zip(problems, expected, strict=True):
        assert re.search(words, problem) and problem in log and problem in text
    assert left in text
    assert (data_of(out) is not None) == explored


def test_nothing_to_show(tmp_path):
    with pytest.raises(InputError, match="no table is in it. Make one"):
        make_report(results=tmp_path, out=tmp_path / "report.html", settings=Report())


def test_the_page_of_what_is_made_follows_the_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    page_of_made(tmp_path / "results")  # of which there are none
    assert not [*(tmp_path / "results").iterdir()]
    (tmp_path / "results").rmdir()
    made = make_project(tmp_path, dataset="my-wiki").results.rename(tmp_path / "my-wiki")
    (tmp_path / "results").mkdir(exist_ok=True)
    folder = made.rename(tmp_path / "results/my-wiki")
    page_of_made(folder)
    page = tmp_path / "results/report.html"
    assert os.readlink(page) == "my-wiki/report.html" and "Table 1" in text_of(page)
    kept = (folder / "report.html").stat()
    page_of_made(folder)
    assert (folder / "report.html").stat().st_ino == kept.st_ino
    # Whatever a clock says that was set back since.
    table = json.loads((folder / "table1.json").read_text())
    (folder / "table1.json").write_text(json.dumps(table | {"caption": "Table 1: another day"}))
    os.utime(folder / "table1.json", (0, 0))
    page_of_made(folder)
    assert "another day" in text_of(page)


def test_the_command_finds_the_folders_by_itself(tmp_path, monkeypatch):
    places = make_project(tmp_path, dataset="my-wiki.2")
    places.results.rename(tmp_path / "my-wiki.2")
    monkeypatch.chdir(tmp_path)
    command = ["report", "--results", "my-wiki.2", "--out", "report.html"]
    assert main([*command, "--log", "report.log"]) == 0
    assert "2 rows, 0 problems" in (tmp_path / "report.log").read_text()
    text = text_of(tmp_path / "report.html")
    assert "muver: results on my-wiki.2" in text
    assert "build/my-wiki.2/current/runs/test/bm25.parquet" in text
