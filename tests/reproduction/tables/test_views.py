"""Table 3: views against recall."""

import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.records import LayersRow
from muver.reproduction.tables.settings import Views
from muver.reproduction.tables.views import build, page
from tests.reproduction.tables.conftest import ZESHEL

PLAIN = {
    "method": "MuVER (w/o heuristic search)", "system": "muver_plain", "sweep_of": None,
}  # fmt: skip
ROWS = [
    {**PLAIN, "merge_layers": 0, "search": None},
    *(
        {"method": "MuVER", "system": search, "merge_layers": 1, "search": search}
        | {"sweep_of": "muver"}
        for search in ("distant", "close", "distant_full", "close_full")
    ),
]
DISTANT, CLOSE = ROWS[1:3]
HEADER = [
    "method", "search", "# of Views", "Distant Pairs", "Close Pairs", "# of Views (close)",
    "row_key", "row_key (close)",
]  # fmt: skip
HITS = {  # of lego and yugioh, and views an entity
    "muver_plain": ((1, 2), (1, 3), 15.0),
    "distant": ((4, 8), (0, 3), 21.004),
    "close": ((4, 6), (0, 3), 20.5),
    "distant_full": ((4, 7), (0, 3), 21.0),
    "close_full": ((4, 5), (0, 3), 20.95),
}


def settings(system: str) -> dict:
    """What a row was made with, as the evaluate stage records it."""
    row = {"system": system, "model": {"score": "max"}, "retrieve": {"k": 64, "merge_layers": 0}}
    if system == "muver_plain":
        return row
    pairs, _, full = system.partition("_")
    merge = {"pairs": pairs, "among": "neighbours", **({"wasted": "replaced"} if full else {})}
    return {**row, "retrieve": {"k": 64, "merge_layers": 1, "search": system}, "merge": merge}


@pytest.fixture
def table(evaluation, write):
    """The table of some rows: the unmerged one and the released searches if none are given."""

    def make(rows=ROWS[:3], cutoff=64, settings=settings, **replaced):
        systems = [row["system"] for row in rows]
        made = []
        for system in dict.fromkeys(systems):
            *hits, views = HITS[system]
            own = {"views_per_entity": views, "settings": settings(system), **replaced}
            made.append(evaluation(system, *hits, **own))
        return build(
            "table3",
            "Views",
            read(Views, {"rows": rows, "cutoff": cutoff}),
            TableFiles(write(*made)),
        )

    return make


def recalls(row: LayersRow) -> dict[int, float]:
    """The paper's, by cutoff."""
    return {k: one.recall for k, one in row.part.paper.items()}


def test_a_row_a_system(table):
    made = table()
    assert made.cutoff == 64
    row = made.rows[2]
    assert (row.merge_layers, row.search, row.views_per_entity) == (1, "close", 20.5)
    assert (row.pairs, row.reading) == ("close", "as released")
    assert [row.searched for row in made.rows] == [None, "distant pairs", "close pairs"]
    assert row.part.micro[64] == pytest.approx(900 / 11)
    assert row.part.interval.micro[64][0] < row.part.micro[64]


def test_both_ways_of_merging_side_by_side(table):
    made = table()
    plain, distant, close = (row.row_key for row in made.rows)
    main = page(made).sections[0]
    assert main.header == HEADER
    assert main.rows == [
        [PLAIN["method"], "", "15.00", "45.45", "45.45", "", plain, ""],
        ["MuVER", "as released", "21.00", "100.00", "81.82", "20.50", distant, close],
    ]
    assert main.best == {(1, 3), (1, 4)}


def test_searches_that_differ_in_their_pairs_alone_share_a_line(table):
    made = table(rows=ROWS)
    assert made.rows[4].searched == "close pairs, wasted choices replaced"
    main = page(made).sections[0]
    assert [cells[:6] for cells in main.rows[1:]] == [
        ["MuVER", "as released", "21.00", "100.00", "81.82", "20.50"],
        ["MuVER", "wasted choices replaced", "21.00", "90.91", "72.73", "20.95"],
    ]


def test_any_search_of_params_yaml_can_be_swept(table):
    def all_pairs(system):
        return {"system": system, "merge": {"pairs": "distant", "among": "all"}}

    (row,) = table(rows=[DISTANT], settings=all_pairs).rows
    assert (row.reading, row.searched) == (
        "among all views",
        "distant pairs, among all views",
    )


def test_columns_of_other_numbers_of_views_are_said_to_differ(table):
    note = page(table(rows=ROWS)).sections[0].note
    assert "(MuVER as released, layer 1: 21.00 distant, 20.50 close)" in note
    for rows in ([ROWS[0], *ROWS[3:]], [DISTANT]):  # 21.00 and 20.95; one column alone
        assert "differ in the number" not in page(table(rows=rows)).sections[0].note


def test_merging_starts_at_the_row_of_the_same_views_whatever_it_is_called(table):
    def other(system):
        return {
            **settings(system),
            "model": {"score": system if system == "muver_plain" else "max"},
        }

    assert [row.start for row in table().rows] == [None, "muver_plain", "muver_plain"]
    assert [row.start for row in table(settings=other).rows] == [None, None, None]


def test_one_way_of_merging_alone(table):
    main = page(table(rows=[CLOSE])).sections[0]
    assert [cells[1:6] for cells in main.rows] == [["as released", "", "", "81.82", "20.50"]]


def test_a_system_without_views(table):
    made = table(rows=ROWS[:1], views_per_entity=None)
    assert page(made).sections[0].rows[0][2] == ""


def test_paper_by_number_of_views(table):
    assert not any(row.part.paper for row in table().rows)
    assert "The paper's table" not in [part.heading for part in page(table()).sections]

    made = table(**ZESHEL)
    plain, distant, close = made.rows
    assert (plain.paper_views, recalls(plain)) == (15.33, {64: 89.52})
    assert (distant.paper_views, recalls(distant)) == (21.07, {64: 90.15})
    assert distant.part.paper[64].difference == pytest.approx(9.85)
    assert (close.paper_views, close.part.paper) == (None, {})  # 20.5 is more than 1 % away
    _, beside, whole, *_ = page(made).sections
    assert [cells[0] for cells in beside.rows] == [PLAIN["method"], "MuVER"]
    assert beside.rows[1][1] == "distant pairs"
    assert whole.rows[-1] == ["MuVER", "32.48", "90.84", "89.92"]
    assert len(whole.rows) == 8


def test_the_paper_prints_one_number_of_views_for_both_columns(table):
    rows = table(rows=ROWS, **ZESHEL).rows
    papers = {row.search: recalls(row) for row in rows[3:]}
    assert papers == {"distant_full": {64: 90.15}, "close_full": {64: 89.95}}


def test_distant_minus_close(table):
    one, full = table(rows=ROWS, **ZESHEL).contrasts
    assert one.method == "MuVER, layer 1 (as released): distant minus close"
    assert one.systems == ["distant", "close"]
    assert one.difference[64] == pytest.approx(200 / 11)
    assert one.paper == {}  # the paper counts no close row of 20.5 views
    assert full.systems == ["distant_full", "close_full"]
    assert full.paper == {64: pytest.approx(90.15 - 89.95)}
    assert full.verdict[64] == "cannot tell"  # two of eleven mentions
    section = page(table(rows=ROWS, **ZESHEL)).sections[3]
    assert section.header == ["method", "R@64"] and len(section.rows) == 2
    assert table(rows=[DISTANT]).contrasts == []


def test_the_paper_has_recall_at_64_only(table):
    assert not any(row.part.paper for row in table(cutoff=1, **ZESHEL).rows)


def test_what_cannot_be_a_table(table):
    with pytest.raises(InputError, match="merge_layers is -1"):
        table(rows=[{**DISTANT, "merge_layers": -1}])
