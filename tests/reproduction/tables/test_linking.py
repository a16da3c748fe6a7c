"""The table of entity linking as data, and as a page."""

import json

import pytest
from msgspec.structs import replace

from muver.cli import main
from muver.io.errors import InputError
from muver.io.typed import read
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.linking import build, page
from muver.reproduction.tables.records import read_result
from muver.reproduction.tables.settings import Linking
from muver.reproduction.tables.shown import in_terminal
from tests.reproduction.tables.conftest import CATEGORIES

FIRST = {"method": "MuVER", "system": "muver"}
SECOND = {"method": "MuVER, 64 reranked", "system": "reranked", "depth": 64}
SECOND["first_stage"] = "muver"


@pytest.fixture
def files(evaluation, write, mentions):
    """A first stage that finds 8 of 11 mentions and links 3, and a second stage that links 5."""
    return TableFiles(write(*both(evaluation)), mentions=mentions())


def both(evaluation):
    return evaluation("muver", (2, 6), (1, 2)), evaluation("reranked", (5, 6), (0, 2))


def settings(*rows, **more):
    return read(Linking, {"rows": [*rows], **more})


def table(files, *rows, **more):
    return build("linking", "Linking", settings(*rows or (FIRST, SECOND), **more), files)


def percents(linked):
    return {name: pytest.approx(one.percent) for name, one in linked.measures.items()}


def test_of_all_mentions(files):
    first, second = table(files).rows
    assert percents(second.linked) == {
        "found": 800 / 11,
        "macro_found": (600 / 8 + 200 / 3) / 2,
        "first_stage": 300 / 11,
        "macro_first_stage": (200 / 8 + 100 / 3) / 2,
        "accuracy": 500 / 11,
        "macro_accuracy": (500 / 8 + 0) / 2,
        "normalised": 500 / 8,
        "macro_normalised": (500 / 6 + 0) / 2,
    }
    hits = {name: (one.hits, one.mentions) for name, one in second.linked.measures.items()}
    assert hits["normalised"] == (5, 8) and hits["macro_normalised"] == (None, None)
    for one in second.linked.measures.values():
        low, high = one.interval
        assert low <= one.percent <= high
    assert "first_stage" not in first.linked.measures and first.linked.paired is None
    assert percents(first.linked)["normalised"] == 300 / 8


def test_intervals_are_those_of_the_evaluation(files, evaluation):
    """The same number has the same interval in every table, and beside its second stage."""
    first, second = table(files).rows
    scores = evaluation("muver", (2, 6), (1, 2))
    interval = scores["interval"]["micro"]["1"]
    assert first.linked.measures["accuracy"].interval == interval
    assert second.linked.measures["first_stage"].interval == interval
    world = scores["worlds"]["yugioh"]["interval"]["64"]
    assert first.worlds["yugioh"].measures["found"].interval == world


def test_the_second_stage_is_paired_with_the_first(files):
    made = table(files)
    second = made.rows[1]
    found = second.linked.paired
    # Three mentions of lego are won and one of yugioh is lost
    assert (found.won, found.lost) == ({1: 3}, {1: 1})
    assert found.difference[1] == pytest.approx(200 / 11)
    assert found.p_value[1] == pytest.approx(10 / 16)  # of the 16 signs of four, 10 reach 2
    assert second.worlds["lego"].paired.p_value[1] == pytest.approx(2 / 8)
    assert second.worlds["yugioh"].paired.difference[1] == pytest.approx(-100 / 3)
    (contrast,) = made.contrasts
    assert contrast.systems == ["reranked", "muver"]
    assert contrast.difference[1] == found.difference[1]
    assert contrast.difference[64] == 0  # the same candidates in another order


def test_documents_are_swapped_whole(evaluation, write, mentions):
    files = TableFiles(write(*both(evaluation), document="one"), mentions=mentions())
    assert table(files).rows[1].linked.paired.p_value == {1: 1}  # no sum of 3 and 1 is below 2


def test_contrasts_of_the_settings_follow_each_once(files):
    pairs = [["muver", "reranked"], ["reranked", "muver"], ["muver", "bm25"]]
    made = table(files, FIRST, SECOND, contrasts=pairs)
    assert [one.systems for one in made.contrasts] == [["reranked", "muver"], ["muver", "reranked"]]


def test_of_a_world(files):
    worlds = table(files).rows[1].worlds
    assert percents(worlds["lego"]) == {
        "found": 75, "first_stage": 25, "accuracy": 62.5, "normalised": 500 / 6,
    }  # fmt: skip
    assert percents(worlds["yugioh"]) == {
        "found": 200 / 3, "first_stage": 100 / 3, "accuracy": 0, "normalised": 0,
    }  # fmt: skip


def test_of_a_category(files):
    categories = table(files).rows[1].categories
    assert list(categories) == ["HIGH_OVERLAP", "LOW_OVERLAP"]
    high, low = map(percents, categories.values())
    plain = ("found", "first_stage", "accuracy", "normalised")
    assert [high[name] for name in plain] == [100, 60, 80, 80]
    assert [low[name] for name in plain] == [50, 0, 100 / 6, 100 / 3]
    assert categories["HIGH_OVERLAP"].paired.difference[1] == pytest.approx(20)


def test_a_lesser_depth_finds_fewer(files):
    second = table(files, FIRST, {**SECOND, "depth": 63}).rows[1]
    assert second.depth == 63
    assert percents(second.linked)["found"] == 500 / 11  # the others are found at 64
    assert percents(second.linked)["normalised"] == 100
    assert table(files, FIRST).rows[0].depth == 64  # the last cutoff


def test_nothing_found(evaluation, write, mentions):
    """A world of which nothing is found has no normalised accuracy, and no part in the mean."""
    made = write(evaluation("muver", (2, 4), (0, 0)), evaluation("reranked", (0, 0), (0, 0)))
    built = table(TableFiles(made, mentions=mentions()))
    muver, nothing = built.rows
    assert "normalised" not in muver.worlds["yugioh"].measures
    assert muver.linked.measures["macro_normalised"].percent == 50
    assert "normalised" not in nothing.linked.measures
    assert page(built).sections[0].rows[1][-3:-1] == ["", ""]


def test_seeds(evaluation, write, mentions):
    made = write(evaluation("muver", (2, 6), (1, 2)), evaluation("muver_2", (4, 6), (1, 2)))
    built = table(TableFiles(made, mentions=mentions()), {**FIRST, "repeats": ["muver_2"]})
    (row,) = built.rows
    accuracies = {seed: own["accuracy"].percent for seed, own in row.seeds.items()}
    assert accuracies == {"muver": 300 / 11, "muver_2": 500 / 11}
    (section,) = [one for one in page(built).sections if one.heading == "Over seeds"]
    # Means of 3 and 5 of 11, and of 3 and 5 of 8
    assert section.rows[0][2] == "36.36 ± 12.86" and section.rows[0][4] == "50.00 ± 17.68"


def test_the_page(files):
    made = page(table(files))
    main_, world, category, contrasts, sure = made.sections
    assert main_.header == [
        "method", "depth", "found", "lost", "first stage", "unnormalised", "unnormalised (macro)",
        "normalised", "normalised (macro)", "row_key",
    ]  # fmt: skip
    assert [row[:-1] for row in main_.rows] == [
        ["MuVER", "64", "72.73", "27.27", "", "27.27", "29.17", "37.50", "41.67"],
        [
            "MuVER, 64 reranked", "64", "72.73", "27.27", "27.27", "45.45", "31.25", "62.50",
            "41.67",
        ],
    ]  # fmt: skip
    assert {column for _, column in main_.best} == {5, 6, 7, 8}
    assert world.heading == "By world"
    assert [row[:3] for row in world.rows][:2] == [
        ["MuVER", "lego", "8"], ["MuVER, 64 reranked", "lego", "8"],
    ]  # fmt: skip
    assert world.rows[1][6].startswith("83.33 (")
    assert world.rows[0][-1] == "" and world.rows[1][-1].startswith("+37.50 (")
    assert category.heading == "By category" and category.rows[3][5].startswith("16.67 (")
    assert contrasts.header == ["method", "R@1"]
    assert sure.rows[0][2] == "" and " to " in sure.rows[1][2]


def test_contrasts_are_at_the_first_cut_off(files):
    *_, contrasts, _ = page(replace(table(files), cutoffs=[64])).sections
    assert contrasts.header == ["method", "R@64"]


def test_the_command_and_the_terminal(files, tmp_path):
    out = tmp_path / "linking.csv"
    given = {"rows": [FIRST, SECOND], "caption": "Linking"}
    call = ["stage", "table", "--name", "linking", "--settings", json.dumps(given)]
    call += ["--evaluations", *map(str, files.evaluations), "--mentions", str(files.mentions)]
    assert main([*call, "--out", str(out)]) == 0
    written = read_result(out.with_suffix(".json"))
    assert written == table(files)
    key = written.rows[1].row_key
    assert out.read_text().splitlines()[2] == (
        f'"MuVER, 64 reranked",64,72.73,27.27,27.27,45.45,31.25,62.50,41.67,{key}'
    )
    said = in_terminal("linking", tmp_path, 100)
    assert "Contrasts at 1:\n  cannot tell MuVER, 64 reranked from MuVER: +18.18 points" in said


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "--mentions: linking needs the corpus's mentions"),
        (5, "not those that muver was scored on"),
    ],
)
def test_mentions_are_those_of_the_evaluations(files, mentions, given, message):
    other = given and mentions(CATEGORIES[:given])
    with pytest.raises(InputError, match=message):
        table(files._replace(mentions=other))


def test_a_first_stage_without_an_evaluation_is_named(files):
    with pytest.raises(InputError, match="no evaluation of bm25"):
        table(files, FIRST, {**SECOND, "first_stage": "bm25"})
