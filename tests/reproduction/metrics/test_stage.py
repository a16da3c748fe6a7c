"""Files of numbers and points, and those of rows that were dropped."""

import json

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.metrics.stage import write_metrics
from muver.reproduction.tables.records import ComparedPart, ComparedRow, ComparisonTable, TableSet
from muver.retriever.evaluation.records import Means
from tests.blank import blank

INTERVAL = Means(micro={1: [20.0, 30.0]}, macro={})
SETS = {"test": blank(ComparedPart, micro={1: 25.0}, interval=INTERVAL)}
ROWS = [
    blank(ComparedRow, method=method, system=system, sets=SETS)
    for method, system in (("BM25", "bm25"), ("MuVER", "muver"))
]
TABLE = blank(ComparisonTable, cutoffs=[1], sets=[blank(TableSet, set="test")], rows=ROWS)


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
    write_json(table, replace(TABLE, rows=ROWS[:1]))
    write_metrics([table], [], tmp_path / "metrics", tmp_path / "plots")
    assert files(tmp_path / "metrics") == ["table1/bm25.json"]
    assert files(tmp_path / "plots") == []


@pytest.mark.parametrize("content", [[], {"rows": 3}, {}])
def test_what_is_no_result_is_refused(tmp_path, content):
    write_json(tmp_path / "x.json", content)
    with pytest.raises(InputError, match=r"x\.json: not the JSON of a table or figure"):
        write_metrics([tmp_path / "x.json"], [], tmp_path / "m", tmp_path / "p")
