"""Comparison tables as data."""

import pytest

from muver.io.typed import read
from muver.reproduction.tables.comparison import build, page
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.keys import row_key
from muver.reproduction.tables.records import Against, ComparedPart, ComparisonTable
from muver.reproduction.tables.settings import Comparison
from tests.reproduction.tables.conftest import ZESHEL

ROWS = [
    {"method": "BM25", "system": "bm25", "repeats": []},
    {"method": "MuVER", "system": "muver", "repeats": []},
]


@pytest.fixture
def table(evaluation, write):
    """Build a table of both rows: ``table(name, against, rows, pairs, **of evaluations)``."""

    def make(name="table1", against=None, rows=ROWS, pairs=(), **replaced):
        made = [
            evaluation("muver", (4, 8), (0, 3), **replaced),
            evaluation("bm25", (1, 2), (1, 3), **replaced),
        ]
        repeats = [system for row in rows for system in row["repeats"]]
        made += [evaluation(system, (2, 7), (0, 2), **replaced) for system in repeats]
        settings = {"rows": rows, "against": against, "contrasts": list(pairs)}
        return build(name, "Recall", read(Comparison, settings), TableFiles(write(*made)))

    return make


def parts(table: ComparisonTable) -> list[ComparedPart]:
    """What it has of each row on its set."""
    return [row.sets["test"] for row in table.rows]


def test_a_row_a_system(table):
    made = table()
    assert [row.method for row in made.rows] == ["BM25", "MuVER"]
    (one,) = made.sets
    assert (made.name, made.dataset, made.kb) == ("table1", "tiny", None)
    assert (one.set, one.mentions, one.outside) == ("test", 11, 0)
    assert one.worlds == ["lego", "yugioh"]
    assert made.rows[0].row_key == row_key({"system": "bm25", "seed": 1}, "f00d")
    row = parts(made)[0]
    assert row.hits == {1: 2, 64: 5}
    assert row.micro[64] == pytest.approx(500 / 11)
    assert row.macro[64] == pytest.approx((25 + 100) / 2)
    assert row.worlds["lego"].hits == {1: 1, 64: 2}
    for mean in ("micro", "macro"):
        low, high = getattr(row.interval, mean)[64]
        assert low < getattr(row, mean)[64] < high
    assert row.paired is row.seeds is None


def test_paired_with_a_row(table):
    made = table(against="bm25")
    assert made.against == Against(system="bm25", method="BM25")
    bm25, muver = parts(made)
    assert bm25.paired is None
    found = muver.paired
    # lego: 3 more at 1; yugioh: 1 less; no mention is lost but that one
    assert (found.won[1], found.lost[1]) == (3, 1)
    assert found.difference[1] == pytest.approx(200 / 11)
    assert found.p_value[1] == pytest.approx(10 / 16)  # 2 P(X >= 3), X of 4 fair coins
    assert found.p_value[64] == pytest.approx(2 / 64)  # six won, none lost


def test_several_seeds(table):
    rows = [ROWS[0], {**ROWS[1], "repeats": ["muver_2", "muver_3"]}]
    bm25, muver = parts(table(rows=rows))
    assert bm25.seeds is None
    seeds = muver.seeds
    assert list(seeds.values) == ["muver", "muver_2", "muver_3"]
    assert seeds.values["muver_3"][1] == pytest.approx(200 / 11)
    assert seeds.mean[1] == pytest.approx((400 + 200 + 200) / 11 / 3)
    # 4, 2 and 2 hits: their variance is ((4/3)² + 2 (2/3)²) / 2 = 4/3
    assert seeds.spread[1] == pytest.approx((4 / 3) ** 0.5 * 100 / 11)
    assert muver.micro[1] == pytest.approx(400 / 11)  # the first seed's


def test_paper_stands_beside_its_own_dataset_only(table):
    made = table()
    assert "tiny" in made.paper.note
    assert not any(row.published for row in parts(made))

    made = table(**ZESHEL)
    assert made.paper.note is None
    bm25, muver = parts(made)
    assert list(bm25.paper) == [64] and bm25.paper[64].recall == 69.13
    assert bm25.paper[64].verdict == "cannot tell"  # 11 mentions decide nothing
    assert bm25.readme == {}
    assert muver.paper[1].difference == pytest.approx(400 / 11 - 45.4)
    assert muver.readme[1].difference == pytest.approx(400 / 11 - 45.41)


def test_a_table_of_our_own_has_no_published_numbers(table):
    made = table("beyond", **ZESHEL)
    assert not any(row.published for row in parts(made))


def test_own_tables_count_where_the_mentions_own_page_comes_first(table):
    main = page(table("beyond", own_page_first=2)).sections[0]
    assert main.header == ["method", "own page", "R@1", "R@64", "row_key"]
    assert main.rows[0][:3] == ["BM25", "18.18", "18.18"]  # 2 of 11
    assert "own page: mentions" in main.note
    for made in (table("table1", own_page_first=2), table("beyond")):
        assert page(made).sections[0].header == ["method", "R@1", "R@64", "row_key"]


def test_own_tables_tell_the_vectors_an_entity(table):
    main = page(table("beyond", views_per_entity=35.26)).sections[0]
    assert main.header == ["method", "vectors", "R@1", "R@64", "row_key"]
    assert main.rows[0][1] == "35.3" and "vectors: those that are compared" in main.note


def test_the_spread_of_seeds_enters_the_verdict(table):
    rows = [{**ROWS[1], "repeats": ["muver_2"]}, ROWS[0]]
    # Seeds of 36.36 and 18.18, 12.9 points of standard deviation: 12.7 sqrt(2) 12.9 = 231
    judged = parts(table(rows=rows, **ZESHEL))[0].paper[1]
    assert judged.half_width == pytest.approx(231, abs=1)
    assert judged.verdict == "cannot tell"  # 36.36 and 45.40


def test_contrasts_over_seeds(table):
    rows = [{**row, "repeats": [f"{row['system']}_2"]} for row in ROWS]
    made = table(rows=rows, pairs=[["muver", "bm25"]])
    (found,), (first,) = made.over_seeds, made.contrasts
    # The further seeds of both rows find the same, so that the mean is half of the first seed's.
    assert found.difference[64] == pytest.approx(first.difference[64] / 2)
    assert found.p_value == first.p_value  # 6 documents differ, all in one direction
    assert [one.heading for one in page(made).sections].count("Contrasts over seeds") == 1
    assert table(pairs=[["muver", "bm25"]]).over_seeds == []


def test_contrasts(table):
    made = table(pairs=[["muver", "bm25"], ["muver", "som"]], **ZESHEL)
    (found,) = made.contrasts  # som is no row
    assert (found.method, found.systems) == ("MuVER minus BM25", ["muver", "bm25"])
    assert found.difference[64] == pytest.approx(600 / 11)
    assert found.paper == {64: pytest.approx(90.84 - 69.13)}
    assert found.verdict == {64: "holds"}
    tiny = table(pairs=[["muver", "bm25"]]).contrasts[0]
    assert tiny.difference == found.difference
    assert tiny.paper == tiny.verdict == {}
