"""Table 3: views against recall."""

import pytest

from muver.errors import InputError
from muver.tables.evaluations import read_evaluations
from muver.tables.views import build, page
from tests.tables.conftest import ZESHEL

PLAIN = {
    "method": "MuVER (w/o heuristic search)", "system": "muver_plain", "sweep_of": None,
}  # fmt: skip
DISTANT = {
    "method": "MuVER", "system": "distant", "merge_layers": 1, "search": "distant",
    "sweep_of": "muver",
}  # fmt: skip
CLOSE = {**DISTANT, "system": "close", "search": "close"}
ROWS = [{**PLAIN, "merge_layers": 0, "search": None}, DISTANT, CLOSE]
HEADER = [
    "method", "# of Views", "Distant Pairs", "Close Pairs", "# of Views (close)", "row_key",
    "row_key (close)",
]  # fmt: skip


@pytest.fixture
def table(evaluation, write):
    def make(rows=ROWS, cutoff=64, **replaced):
        made = [
            evaluation("muver_plain", (1, 2), (1, 3), views_per_entity=15.0, **replaced),
            evaluation("distant", (4, 8), (0, 3), views_per_entity=21.004, **replaced),
            evaluation("close", (4, 6), (0, 3), views_per_entity=20.5, **replaced),
        ]
        systems = [row["system"] for row in rows]
        files = write(*(part for part in made if part["system"] in systems))
        return build("table3", "Views", rows, cutoff, read_evaluations(files, systems))

    return make


def test_a_row_a_system(table):
    made = table()
    assert made["cutoff"] == 64
    row = made["rows"][2]
    assert (row["merge_layers"], row["search"], row["views_per_entity"]) == (1, "close", 20.5)
    assert row["micro"]["64"] == pytest.approx(900 / 11)
    assert row["interval"]["micro"]["64"][0] < row["micro"]["64"]


def test_both_ways_of_merging_side_by_side(table):
    made = table()
    plain, distant, close = (row["row_key"] for row in made["rows"])
    main = page(made).sections[0]
    assert main.header == HEADER
    assert main.rows == [
        [PLAIN["method"], "15.00", "45.45", "45.45", "", plain, ""],
        ["MuVER", "21.00", "100.00", "81.82", "20.50", distant, close],
    ]
    assert main.best == {(1, 2), (1, 3)}


def test_one_way_of_merging_alone(table):
    main = page(table(rows=[CLOSE])).sections[0]
    assert [cells[:5] for cells in main.rows] == [["MuVER", "", "", "81.82", "20.50"]]


def test_a_system_without_views(table):
    made = table()
    made["rows"][0]["views_per_entity"] = None
    assert page(made).sections[0].rows[0][1] == ""


def test_paper_by_number_of_views(table):
    assert all(row["paper"] is None for row in table()["rows"])
    assert "The paper's table" not in [part.heading for part in page(table()).sections]

    made = table(**ZESHEL)
    plain, distant, close = made["rows"]
    assert (plain["paper_views"], plain["paper"]) == (15.33, {"64": 89.52})
    assert (distant["paper_views"], distant["paper"]) == (21.07, {"64": 90.15})
    assert distant["difference"]["64"] == pytest.approx(9.85)
    assert close["paper_views"] is close["paper"] is None  # 20.5 is more than 1 % away
    _, beside, whole, _ = page(made).sections
    assert [cells[0] for cells in beside.rows] == [PLAIN["method"], "MuVER"]
    assert whole.rows[-1] == ["MuVER", "32.48", "90.84", "89.92"]
    assert len(whole.rows) == 8


def test_the_paper_has_recall_at_64_only(table):
    assert all(row["paper"] is None for row in table(cutoff=1, **ZESHEL)["rows"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{**DISTANT, "merge_layers": -1}], "merge_layers is -1, expected 0 or more"),
        ([{**DISTANT, "merge_layers": 0}], "search is 'distant', expected null with 0 merged"),
        ([{**DISTANT, "search": None}], "search is None, expected distant or close with 1"),
        ([{**DISTANT, "search": "dist"}], "expected distant or close.*Did you mean 'distant'"),
        ([DISTANT, {**DISTANT, "system": "close"}], "MuVER, layer 1, distant stands in two rows"),
    ],
)
def test_rows_that_are_none(table, rows, message):
    with pytest.raises(InputError, match=message):
        table(rows=rows)


def test_a_cutoff_that_was_not_evaluated(table):
    with pytest.raises(InputError, match="cutoff is 50, the evaluations have 1, 64"):
        table(cutoff=50)
