"""Numbers by row and points of curves, from each kind of result, and their files."""

import json

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.metrics import curves_of, numbers_of, write_metrics
from muver.reproduction.tables.records import (
    MEAN,
    GridResult,
    LengthsFigure,
    Merged,
    PointRow,
    Row,
    TableSet,
)
from muver.retriever.evaluation.records import Bin, KnowledgeBase
from tests.blank import blank, made_table

RECALL = {1: 7.25, 64: 57.75}
CLOSE = blank(Merged, layers=1, searched="close pairs", start="sentences")
VIEWS = made_table(
    {"system": "som", "recall": RECALL},
    {"system": "sentences", "recall": RECALL, "views": 15.0},
    {"system": "muver", "recall": RECALL, "views": 18.5, "merged": CLOSE},
    layout="views",
    cutoffs=[64],
)


def test_a_table_of_rows_has_recall_at_its_cutoffs():
    table = made_table({"system": "muver", "recall": RECALL})
    assert numbers_of(table) == {"muver": {"R@01": 7.25, "R@64": 57.75}}


def test_a_table_of_views_has_its_cutoff_and_the_views_of_rows_that_have_any():
    assert numbers_of(VIEWS) == {
        "som": {"R@64": 57.75},
        "sentences": {"R@64": 57.75, "views": 15.0},
        "muver": {"R@64": 57.75, "views": 18.5},
    }


def test_domains_stand_in_one_file_a_row():
    rows = [
        {"system": name, "recall": {1: 0.0, 64: 3 * n}, "worlds": {"lego": {1: 0.0, 64: n}}}
        for name, n in (("a", 10.0), ("b", 20.0))
    ]
    sets = [blank(TableSet, set="test", worlds=["lego"])]
    assert numbers_of(made_table(*rows, layout="domains", sets=sets)) == {
        "a": {"R@64 lego": 10.0, f"R@64 {MEAN}": 30.0},
        "b": {"R@64 lego": 20.0, f"R@64 {MEAN}": 60.0},
    }


def test_sets_stand_in_one_file_a_row():
    table = made_table({"system": "blink", "recall": {10: 90.5, 100: 95.0}})
    further = [replace(one, set="wnedwiki", recall=one.recall - 50) for one in table.lines]
    sets = [blank(TableSet, set=name, column=name) for name in ("test", "wnedwiki")]
    given = {"kb": blank(KnowledgeBase, entities=9), "sets": sets}
    assert numbers_of(replace(table, lines=[*table.lines, *further], **given)) == {
        "blink": {
            "R@010 test": 90.5, "R@100 test": 95.0, "R@010 wnedwiki": 40.5, "R@100 wnedwiki": 45.0,
        }
    }  # fmt: skip


def test_points_of_the_grid_have_validation_recall_and_step():
    rows = [blank(PointRow, system="lr1", recall=37.0, step=126)]
    assert numbers_of(blank(GridResult, cutoff=16, rows=rows)) == {
        "lr1": {"R@16 validation": 37.0, "step": 126}
    }


def test_recall_by_cutoff():
    rows = [{"system": name, "method": name, "recall": RECALL} for name in ("BM25", "MuVER, max")]
    assert curves_of(made_table(*rows)).splitlines() == [
        "row,k,recall,low,high",
        "BM25,1,7.25,2.25,12.25",
        "BM25,64,57.75,52.75,62.75",
        '"MuVER, max",1,7.25,2.25,12.25',
        '"MuVER, max",64,57.75,52.75,62.75',
    ]


def test_recall_by_views_starts_where_nothing_is_merged():
    assert curves_of(VIEWS).splitlines() == [
        "row,views,recall,low,high",
        "sentences,15.0,57.75,52.75,62.75",
        '"muver, close pairs",15.0,57.75,52.75,62.75',
        '"muver, close pairs",18.5,57.75,52.75,62.75',
    ]


def test_errors_by_length_leave_out_bins_without_mentions():
    bins = [Bin(1, 5, 4, [1, 2], [25.0, 50.0], [[1, 2], [3, 4]]), Bin(6, 10, 0, [0, 0])]
    rows = [blank(Row, method=method) for method in ("BLINK", "MuVER")]
    assert curves_of(blank(LengthsFigure, rows=rows, bins=bins)).splitlines() == [
        "row,sentences,error,low,high",
        "BLINK,1,25.0,1,2",
        "MuVER,1,50.0,3,4",
    ]


TABLE = made_table(*({"system": name, "recall": {1: 25.0}} for name in ("bm25", "muver")))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table1.json"
    write_json(path, TABLE)
    return path


def files(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_a_row_and_a_file_a_plot(table, tmp_path):
    write_metrics([table], [table], tmp_path / "metrics", tmp_path / "plots")
    assert files(tmp_path / "metrics") == ["table1/bm25.json", "table1/muver.json"]
    assert json.loads((tmp_path / "metrics/table1/muver.json").read_text()) == {"R@1": 25.0}
    assert (tmp_path / "plots/table1.csv").read_text().count("\n") == 3


def test_dropped_rows_and_results_leave_the_folders(table, tmp_path):
    write_metrics([table], [table], tmp_path / "metrics", tmp_path / "plots")
    write_json(table, replace(TABLE, rows=TABLE.rows[:1]))
    write_metrics([table], [], tmp_path / "metrics", tmp_path / "plots")
    assert files(tmp_path / "metrics") == ["table1/bm25.json"]
    assert files(tmp_path / "plots") == []


@pytest.mark.parametrize("content", [{}, {"kind": "parameters"}])
def test_what_has_no_recall_is_refused(tmp_path, content):
    write_json(tmp_path / "x.json", content)
    with pytest.raises(InputError, match=r"x\.json: not the JSON of rows with recall"):
        write_metrics([tmp_path / "x.json"], [], tmp_path / "m", tmp_path / "p")
