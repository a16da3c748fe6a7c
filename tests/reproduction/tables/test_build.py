"""The long table: lines, published numbers and contrasts of each kind of table."""

from functools import partial

import pytest

from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import row_key
from muver.reproduction.tables.layouts import page
from muver.reproduction.tables.records import MEAN
from tests.reproduction.tables.conftest import CATEGORIES, ZESHEL, table_of

BM25 = {"method": "BM25", "system": "bm25"}
MUVER = {"method": "MuVER", "system": "muver"}
PAIR = [["muver", "bm25"]]


HITS = {  # of lego and yugioh, and views an entity
    "muver": ((4, 8), (0, 3), None),
    "bm25": ((1, 2), (1, 3), None),
    "blink_128": ((1, 2), (1, 3), None),
    "muver_plain": ((1, 2), (1, 3), 15.0),
    "distant": ((4, 8), (0, 3), 21.004),
    "close": ((4, 6), (0, 3), 20.5),
    "distant_full": ((4, 7), (0, 3), 21.0),
    "close_full": ((4, 5), (0, 3), 20.95),
}


@pytest.fixture
def table(evaluation, write, mentions):
    """Build a table of both rows: ``table(name, *rows, replaced={of evaluations}, **settings)``."""

    def make(name="table1", *rows, replaced=None, **settings):
        rows, made = rows or (BM25, MUVER), []
        for row in rows:
            for n, system in enumerate((row["system"], *row.get("repeats", ())), 1):
                *hits, views = HITS.get(system, ((2, 7), (0, 2), None))
                own = {"settings": {"system": system, "seed": n}, "views_per_entity": views}
                of_row = replaced(system) if callable(replaced) else replaced or {}
                made.append(evaluation(system, *hits, **{**own, **of_row}))
        given = mentions() if "categories" in settings else None
        return table_of(name, write(*made), *rows, mentions=given, **settings)

    return make


def line(table, system, k, **of):
    return table.line(table.row(system).row_key, k, **of)


def judged(table, system, k, source="paper", **of):
    return table.judged(line(table, system, k, **of)).get(source)


def contrasts(table, kind="contrast", k=64):
    return [one for one in table.contrasts if (one.kind, one.k) == (kind, k)]


def section(table, heading):
    (found,) = [part for part in page(table).sections if part.heading == heading]
    return found


def test_a_line_for_each_row_world_and_cutoff(table):
    made = table()
    assert [row.method for row in made.rows] == ["BM25", "MuVER"]
    (one,) = made.sets
    assert (made.name, made.layout, made.dataset, made.kb) == ("table1", "comparison", "tiny", None)
    assert (one.set, one.mentions, one.outside, one.worlds) == ("test", 11, 0, ["lego", "yugioh"])
    key = row_key({"system": "bm25", "seed": 1}, "f00d")
    whole = line(made, "bm25", 64)
    assert (whole.row, whole.set, whole.key, whole.seed) == ("bm25", "test", key, 1)
    assert (whole.hits, whole.mentions, whole.protocol) == (5, 11, "all pages")
    assert whole.recall == pytest.approx(500 / 11)
    mean = line(made, "bm25", 64, world=MEAN)
    assert (mean.hits, mean.recall) == (None, pytest.approx((25 + 100) / 2))
    assert line(made, "bm25", 1, world="lego").hits == 1
    assert all(one.low <= one.recall <= one.high for one in made.lines)
    assert len(made.lines) == 2 * 2 * 4  # rows, cutoffs; all, their mean, two worlds


@pytest.mark.parametrize(
    ("settings", "protocol"),
    [
        ({"retrieve": {"own_page": "leave_out"}}, "own page left out"),
        ({"retrieve": {"own_page": "keep"}}, "all pages"),
        ({"parts": [{"retrieve": {"own_page": "leave_out"}}] * 2}, "own page left out"),
        ({"parts": [{"retrieve": {"own_page": "leave_out"}}, {"retrieve": {}}]}, "all pages"),
    ],
)
def test_lines_tell_their_protocol(table, settings, protocol):
    assert {one.protocol for one in table(replaced={"settings": settings}).lines} == {protocol}


def test_both_protocols_stand_side_by_side(evaluation, write):
    """A title says its protocol where all rows have the other one."""
    left_out = {"settings": {"retrieve": {"own_page": "leave_out"}}}
    made = evaluation("muver", (4, 8), (0, 3)), evaluation("twin", (2, 7), (0, 2), **left_out)
    twin = {"method": "MuVER, own page left out", "system": "twin"}
    files = write(*made)
    both = table_of("beyond", files, MUVER, twin)
    found = section(both, "Both protocols of the own page")
    assert found.rows == [["MuVER", "36.36 / 18.18", "100.00 / 81.82"]]
    assert page(both).title == "Recall, tiny"
    alone = page(table_of("beyond", files, twin))
    assert alone.title == "Recall, own page left out, tiny"
    assert "Both protocols of the own page" not in [one.heading for one in alone.sections]


def test_a_row_is_paired_with_the_one_of_its_own_protocol(evaluation, write):
    left_out = {"settings": {"retrieve": {"own_page": "leave_out"}}}
    rows = [
        {"method": f"{method}{end}", "system": f"{system}{twin}"}
        for method, system in (("BM25", "bm25"), ("MuVER", "muver"))
        for end, twin in (("", ""), (", own page left out", "_elsewhere"))
    ]
    made = [
        evaluation("bm25", (1, 8), (0, 3)),
        evaluation("bm25_elsewhere", (6, 8), (0, 3), **left_out),
        evaluation("muver", (2, 8), (0, 3)),
        evaluation("muver_elsewhere", (8, 8), (0, 3), **left_out),
    ]
    files = write(*made)
    table = table_of("beyond", files, *rows, against="muver")
    at_1 = contrasts(table, "against", 1)
    assert [(one.first, one.second) for one in at_1] == [
        ("bm25", "muver"), ("bm25_elsewhere", "muver_elsewhere")
    ]  # fmt: skip
    # of eleven mentions one fewer, and two fewer
    assert [one.difference for one in at_1] == pytest.approx([-100 / 11, -200 / 11])
    (tests,) = [one for one in page(table).sections if one.heading == "Paired tests against MuVER"]
    assert tests.note.startswith("One row minus MuVER under its own protocol in points")


def test_paired_with_a_row(table):
    made = table(against="bm25")
    assert made.against == "bm25"
    (at_1,), (at_64,) = contrasts(made, "against", 1), contrasts(made, "against")
    assert (at_1.first, at_1.second) == ("muver", "bm25")
    # lego: 3 more at 1; yugioh: 1 less; no mention is lost but that one
    assert (at_1.won, at_1.lost) == (3, 1)
    assert at_1.difference == pytest.approx(200 / 11)
    assert at_1.p_value == pytest.approx(10 / 16)  # 2 P(X >= 3), X of 4 fair coins
    assert at_64.p_value == pytest.approx(2 / 64)  # six won, none lost


SEEDED = {**MUVER, "repeats": ["muver_2", "muver_3"]}


def test_several_seeds(table):
    made = table("table1", BM25, SEEDED)
    assert [*made.row("muver").seeds] == ["muver", "muver_2", "muver_3"]
    found = [made.line(key, 1) for key in made.row("muver").seeds.values()]
    assert [(one.row, one.seed, one.hits) for one in found] == [
        ("muver", 1, 4), ("muver", 2, 2), ("muver", 3, 2),
    ]  # fmt: skip
    # 4, 2 and 2 hits: their variance is ((4/3)² + 2 (2/3)²) / 2 = 4/3, in points 10.50²
    bm25, muver = section(made, "Over seeds").rows
    assert muver == ["MuVER", "24.24 ± 10.50", "87.88 ± 10.50"]
    assert bm25 == ["BM25", "18.18", "45.45"]  # one seed, 2 and 5 of 11


def test_paper_stands_beside_its_own_dataset_only(table):
    assert "tiny" in table().paper.note and not table().published
    assert not table("beyond", replaced=ZESHEL).published  # a table of our own has none
    made = table(replaced=ZESHEL)
    assert made.paper.note is None
    assert judged(made, "bm25", 64).recall == 69.13 and judged(made, "bm25", 1) is None
    assert judged(made, "bm25", 64).verdict == "cannot tell"  # 11 mentions decide nothing
    assert judged(made, "bm25", 64, "readme") is None
    assert judged(made, "muver", 1).difference == pytest.approx(400 / 11 - 45.4)
    assert judged(made, "muver", 1, "readme").difference == pytest.approx(400 / 11 - 45.41)


def test_own_tables_have_further_columns(table):
    found = {"own_page_first": 2, "views_per_entity": 35.26}
    main = page(table("beyond", replaced=found)).sections[0]
    assert main.header == ["method", "vectors", "own page", "R@1", "R@64", "row_key"]
    assert main.rows[0][:4] == ["BM25", "35.3", "18.18", "18.18"]  # 2 of 11
    assert "vectors: those that are compared" in main.note and "own page: mentions" in main.note
    for made in (table("table1", replaced=found), table("beyond")):
        assert page(made).sections[0].header == ["method", "R@1", "R@64", "row_key"]


def test_recall_by_category(table):
    found = section(table("beyond", categories=True), "By category")
    assert found.header == ["method", "Category", "mentions", "R@1", "R@64"]
    assert [row[:3] for row in found.rows] == [
        [method, category, mentions]
        for category, mentions in (("HIGH_OVERLAP", "5"), ("LOW_OVERLAP", "6"))
        for method in ("BM25", "MuVER")
    ]
    assert found.rows[1][3].startswith("80.00 (")  # four of lego, none of yugioh


def test_the_spread_of_seeds_enters_the_verdict(table):
    # Seeds of 36.36 and 18.18, 12.9 points of standard deviation: 12.7 sqrt(2) 12.9 = 231
    found = judged(
        table("table1", {**MUVER, "repeats": ["muver_2"]}, BM25, replaced=ZESHEL), "muver", 1
    )
    assert found.half_width == pytest.approx(231, abs=1)
    assert found.verdict == "cannot tell"  # 36.36 and 45.40


def test_contrasts_over_seeds(table):
    rows = [{**row, "repeats": [f"{row['system']}_2"]} for row in (BM25, MUVER)]
    made = table("table1", *rows, contrasts=PAIR)
    (found,), (first,) = contrasts(made, "seeds"), contrasts(made)
    # The further seeds of both rows find the same, so that the mean is half of the first seed's.
    assert found.difference == pytest.approx(first.difference / 2)
    assert found.p_value == first.p_value  # 6 documents differ, all in one direction
    assert section(made, "Contrasts over seeds").rows
    assert contrasts(table(contrasts=PAIR), "seeds") == []


def test_contrasts(table):
    made = table(contrasts=[*PAIR, ["muver", "som"]], replaced=ZESHEL)
    (found,) = contrasts(made)  # som is no row
    assert (found.method, found.first, found.second) == ("MuVER minus BM25", "muver", "bm25")
    assert found.difference == pytest.approx(600 / 11)
    assert (found.paper, found.verdict) == (pytest.approx(90.84 - 69.13), "holds")
    (tiny,) = contrasts(table(contrasts=PAIR))
    assert tiny.difference == found.difference
    assert tiny.paper is tiny.verdict is None


# Table 6.

DOMAINS = [{"method": "BLINK (128 tokens)", "system": "blink_128"}, MUVER]


@pytest.fixture
def domains(table):
    return partial(table, "table6", *DOMAINS, contrasts=[["muver", "blink_128"]])


def test_a_line_a_domain_and_method_then_the_means(domains):
    main = page(domains()).sections[0]
    assert [row[1::-1] for row in main.rows] == [
        ["lego", "BLINK (128 tokens)"], ["lego", "MuVER"], ["yugioh", "BLINK (128 tokens)"],
        ["yugioh", "MuVER"], [MEAN, "BLINK (128 tokens)"], [MEAN, "MuVER"],
    ]  # fmt: skip
    assert main.rows[1][2:4] == ["50.00", "100.00"]
    assert main.rows[4][2] == "22.92"  # the mean of 1 of 8 and 1 of 3
    assert ". Macro mean: " in main.note  # a page of several tables says once what they share
    assert [(one.world, one.first) for one in contrasts(domains())] == [
        ("lego", "muver"), ("yugioh", "muver"),
    ]  # fmt: skip


def test_paper_by_domain(domains):
    assert not domains().published
    made = domains(replaced=ZESHEL)
    blink = judged(made, "blink_128", 64, world="lego")
    assert blink.difference == pytest.approx(25 - 91.83) and blink.verdict == "not reproduced"
    assert judged(made, "muver", 64, world="lego").difference == pytest.approx(100 - 93.74)
    assert judged(made, "muver", 64, world=MEAN) is None  # it has no means


# Table 3.

PLAIN = {"method": "MuVER (w/o heuristic search)", "system": "muver_plain"}
DISTANT, CLOSE, *FULL = (
    {"method": "MuVER", "system": search, "merge_layers": 1, "search": search, "sweep_of": "muver"}
    for search in ("distant", "close", "distant_full", "close_full")
)


def merging(system: str) -> dict:
    """What a row was made with, as the evaluate stage records it."""
    row = {"system": system, "model": {"score": "max"}, "retrieve": {"k": 64, "merge_layers": 0}}
    if system == "muver_plain":
        return row
    pairs, _, full = system.partition("_")
    merge = {"pairs": pairs, "among": "neighbours", **({"wasted": "replaced"} if full else {})}
    return {**row, "retrieve": {"k": 64, "merge_layers": 1, "search": system}, "merge": merge}


@pytest.fixture
def views(table):
    """Table 3 of some rows: the unmerged one and the released searches if none are given."""

    def make(*rows, cutoff=64, settings=merging, **replaced):
        def of_row(system):
            return {"settings": settings(system), **replaced}

        rows = rows or (PLAIN, DISTANT, CLOSE)
        return table("table3", *rows, cutoff=cutoff, replaced=of_row)

    return make


def test_both_ways_of_merging_side_by_side(views):
    made = views()
    unmerged, distant, close = (row.row_key for row in made.rows)
    main = page(made).sections[0]
    assert main.header == [
        "method", "search", "# of Views", "Distant Pairs", "Close Pairs", "# of Views (close)",
        "row_key", "row_key (close)",
    ]  # fmt: skip
    assert main.rows == [
        [PLAIN["method"], "", "15.00", "45.45", "45.45", "", unmerged, ""],
        ["MuVER", "as released", "21.00", "100.00", "81.82", "20.50", distant, close],
    ]
    assert main.best == {(1, 3), (1, 4)}
    (alone,) = page(views(CLOSE)).sections[0].rows
    assert alone[1:6] == ["as released", "", "", "81.82", "20.50"]
    assert page(views(PLAIN, views_per_entity=None)).sections[0].rows[0][2] == ""


def test_searches_that_differ_in_their_pairs_alone_share_a_line(views):
    made = views(PLAIN, DISTANT, CLOSE, *FULL)
    assert made.rows[4].merged.searched == "close pairs, wasted choices replaced"
    main = page(made).sections[0]
    assert [cells[:6] for cells in main.rows[1:]] == [
        ["MuVER", "as released", "21.00", "100.00", "81.82", "20.50"],
        ["MuVER", "wasted choices replaced", "21.00", "90.91", "72.73", "20.95"],
    ]


def test_any_search_of_params_yaml_can_be_swept(views):
    def all_pairs(system):
        return {"system": system, "merge": {"pairs": "distant", "among": "all"}}

    (row,) = views(DISTANT, settings=all_pairs).rows
    assert row.merged.searched == "distant pairs, among all views"


def test_merging_starts_at_the_row_of_the_same_views_whatever_it_is_called(views):
    def other(system):
        score = system if system == "muver_plain" else "max"
        return {**merging(system), "model": {"score": score}}

    assert [row.merged and row.merged.start for row in views().rows] == [
        None, "muver_plain", "muver_plain"
    ]  # fmt: skip
    assert [row.merged and row.merged.start for row in views(settings=other).rows] == [None] * 3


def test_paper_by_number_of_views(views):
    assert not views().published
    made = views(**ZESHEL)
    assert judged(made, "muver_plain", 64).recall == 89.52
    assert judged(made, "distant", 64).recall == 90.15
    assert judged(made, "distant", 64).difference == pytest.approx(9.85)
    assert judged(made, "close", 64) is None  # 20.5 is more than 1 % away
    assert [cells[:2] for cells in page(made).sections[1].rows] == [
        [PLAIN["method"], ""],
        ["MuVER", "distant pairs"],
    ]
    # The paper prints one number of views for both columns, and recall at 64 only
    full = views(*FULL, **ZESHEL)
    assert [judged(full, one["system"], 64).recall for one in FULL] == [90.15, 89.95]
    assert not views(cutoff=1, **ZESHEL).published


def test_distant_minus_close(views):
    made = views(PLAIN, DISTANT, CLOSE, *FULL, **ZESHEL)
    one, full = contrasts(made)
    assert one.method == "MuVER, layer 1 (as released): distant minus close"
    assert (one.first, one.second) == ("distant", "close")
    assert one.difference == pytest.approx(200 / 11)
    assert one.paper is None  # the paper counts no close row of 20.5 views
    assert (full.paper, full.verdict) == (pytest.approx(90.15 - 89.95), "cannot tell")
    found = section(made, "Contrasts")
    assert found.header == ["method", "R@64"] and len(found.rows) == 2
    assert views(DISTANT).contrasts == []


# Categories of mentions.


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0, "--mentions: mine needs the corpus's mentions"),
        (5, "not those that muver was scored on"),
    ],
)
def test_mentions_are_those_of_the_evaluations(evaluation, write, mentions, number, message):
    given = mentions(CATEGORIES[:number]) if number else None
    files = write(evaluation("muver", (2, 6), (1, 2)))
    with pytest.raises(InputError, match=message):
        table_of("mine", files, MUVER, mentions=given, categories=True)


def test_what_cannot_be_a_table(views):
    with pytest.raises(InputError, match="merge_layers is -1"):
        views({**DISTANT, "merge_layers": -1})
