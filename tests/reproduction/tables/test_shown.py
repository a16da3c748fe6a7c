"""A table in a terminal: nothing wider than asked, and the contrasts in words."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.reproduction.tables.records import Contrast
from muver.reproduction.tables.render import in_terminal, print_tables, sentence, show, write_table
from tests.blank import blank
from tests.reproduction.tables.conftest import ZESHEL, table_of

ROWS = [
    {"method": "BM25", "system": "bm25", "repeats": []},
    {"method": "MuVER", "system": "muver", "repeats": []},
]
SIZES = {"lego": 40, "yugioh": 3}


@pytest.fixture
def results(evaluation, write, tmp_path):
    """A folder with a table of both rows, MuVER far ahead at 64 and level at 1."""

    def make(name="table1", **replaced):
        made = [
            evaluation("muver", (4, 30), (0, 3), SIZES, **replaced),
            evaluation("bm25", (3, 6), (1, 3), SIZES, **replaced),
        ]
        table = table_of(name, write(*made), *ROWS, contrasts=[["muver", "bm25"]])
        write_table(tmp_path / f"{name}.csv", table)
        return tmp_path

    return make


def test_the_grid_and_the_contrast_at_64(results):
    title, grid, contrasts = in_terminal("table1", results(), 100).strip().split("\n\n")
    assert title == "Recall, tiny"
    header, bm25, muver = grid.splitlines()
    assert header.split() == ["method", "R@1", "R@64", "row_key"]
    assert bm25.split()[:3] == ["BM25", "9.30", "20.93"]
    assert muver.split()[:3] == ["MuVER", "9.30", "76.74"]
    said = ["Contrasts at 64:", "  MuVER finds 55.81 points more than BM25, p < 0.001"]
    assert contrasts.splitlines() == said


def test_a_difference_in_words():
    one = blank(Contrast, kind="contrast", difference=-4.125, p_value=0.0002)
    assert sentence(one, "MuVER", "BLINK") == "MuVER finds 4.12 points fewer than BLINK, p < 0.001"
    said = sentence(replace(one, p_value=0.25), "MuVER", "BLINK")
    assert said == "cannot tell MuVER from BLINK: -4.12 points, p = 0.250"


def test_a_narrow_terminal_gets_blocks_without_keys(results):
    _, first, second, left_out, _ = in_terminal("table1", results(), 18).split("\n\n")
    assert first.splitlines()[0].split() == ["method", "R@1"]
    assert second.splitlines()[0].split() == ["method", "R@64"]
    assert max(map(len, (first + "\n" + second).splitlines())) <= 18
    assert left_out.endswith("in the CSV: row_key.")


def test_on_the_papers_data_the_papers_difference_is_told(results):
    shown = " ".join(in_terminal("table1", results(**ZESHEL), 100).split())
    assert "MuVER finds 55.81 points more than BM25, p < 0.001; the paper's +" in shown
    assert shown.endswith("holds")


def test_what_was_not_made_is_named(results):
    with pytest.raises(InputError, match=r"tabel1.json: no such table. Did you mean 'table1'\?"):
        in_terminal("tabel1", results(), 100)


def test_the_end_names_the_files_that_are_there(results, capsys, monkeypatch):
    folder = results()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    show(["table1"], results=Path())
    assert capsys.readouterr().out.endswith("With intervals and tests: table1.md.\n")
    for name in ("mlflow.db", "report.html"):
        Path(name).touch()
    print_tables(["table1"], Path(), Path(".test"))
    said = capsys.readouterr().out
    assert ".test/table1.md" in said and "muver audit" in said and ".test/report.html" in said


def test_the_page_is_that_of_the_tables_dataset(results, capsys, monkeypatch):
    """Links in results/ may be of several datasets: each is of the one that was asked for last."""
    folder = results().rename(results().with_name("results"))
    (folder / "tiny").mkdir()
    for name in ("table1.json", "table1.md"):
        (folder / name).rename(folder / "tiny" / name)
        (folder / name).symlink_to(f"tiny/{name}")
    (folder / "report.html").symlink_to("another/report.html")
    (folder / "tiny" / "report.html").touch()
    monkeypatch.chdir(folder.parent)
    show()
    assert "predictions: results/tiny/report.html, in a browser" in capsys.readouterr().out
