"""What the explorer has: predictions, and descriptions cut to size."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.reproduction.report import explorer
from muver.reproduction.report.explorer import Report, explore, fit, opened, shorten, views_of
from muver.reproduction.report.results import System, read_collection, read_results, read_systems
from muver.reproduction.tables.records import Table
from tests.blank import blank
from tests.reproduction.report.made import BM25, GIVEN, MUVER, RANKS, WORLDS

ALL = {"mentions": 100, "candidates": 2, "characters": 10_000}


def systems_of(places):
    problems = []
    systems = read_systems(read_results(["table1"], places, problems), places, problems)
    assert problems == []
    return systems


def explored(places, **settings):
    problems = []
    data = explore(systems_of(places), places, Report(**{**ALL, **settings}), problems)
    assert problems == []
    return data


def test_mentions_and_their_gold(finished):
    data = explored(finished)
    mentions, entities = data["mentions"], data["entities"]
    assert data["total"] == 6
    assert mentions["id"] == [one[0] for one in GIVEN]
    assert [data["worlds"][n] for n in mentions["world"]] == [one[1] for one in GIVEN]
    assert [data["categories"][n] for n in mentions["category"]] == [one[6] for one in GIVEN]
    assert mentions["mention"][2] == "<b>bold</b>"
    for one, gold in zip(GIVEN, mentions["gold"], strict=True):
        title, sentences = list(WORLDS[one[1]].items())[one[5]]
        assert entities["title"][gold] == title
        assert entities["text"][gold] == sentences
        assert entities["sentences"][gold] == len(sentences)


def test_candidates_with_their_views(finished):
    data = explored(finished)
    for row, ranked in zip(data["rows"], (BM25, MUVER), strict=True):
        assert row["rank"] == RANKS[row["system"]]
        start = 0
        for (mention, world, *_), rank, count in zip(
            GIVEN, row["rank"], row["counts"], strict=True
        ):
            # The first two, and the gold entity besides where it is the third.
            expected = [
                (place, list(WORLDS[world])[entity], round(1 / place, 5), *view)
                for place, (entity, *view) in enumerate(ranked[mention], start=1)
                if place <= 2 or place == rank
            ]
            found = [
                (
                    row["place"][n],
                    data["entities"]["title"][row["entity"][n]],
                    row["score"][n],
                    *(row[column][n] for column in ("layer", "first", "last")),
                )
                for n in range(start, start + count)
            ]
            assert found == expected
            start += count
        assert start == len(row["entity"])


def test_a_sample_is_told_and_shares_nothing_but_the_mentions(finished):
    data = explored(finished, mentions=2)
    assert data["total"] == 6
    assert data["mentions"]["id"] == ["m1", "m4"]
    assert [row["rank"] for row in data["rows"]] == [[1, 1], [1, 2]]


def test_a_sample_takes_from_all_worlds_in_the_order_of_the_corpus(finished):
    corpus = read_collection(finished, "test")
    assert corpus.sample(6).tolist() == [0, 1, 2, 3, 4, 5]
    for limit in range(2, 6):
        chosen = corpus.sample(limit)
        assert len(chosen) == limit
        assert np.abs(np.diff(np.bincount(corpus.world[chosen]))) <= 1
    mixed = replace(corpus, world=np.array([0, 1, 0, 1, 0, 1]))
    assert mixed.sample(4).tolist() == [0, 1, 2, 3]


def test_ranks_of_other_mentions_are_refused(project):
    ranks = project.evaluation("bm25", "test").with_suffix(".parquet")
    pq.write_table(pq.read_table(ranks).slice(1), ranks)
    problems = []
    data = explore(systems_of(project), project, Report(**ALL), problems)
    assert [row["system"] for row in data["rows"]] == ["muver"]
    assert [problem for problem in problems if "ranks of other mentions" in problem]


def test_sentences_of_a_span_are_kept(finished, monkeypatch):
    monkeypatch.setattr(explorer, "STEPS", (16,))
    entities = explored(finished, characters=1)["entities"]
    texts = dict(zip(entities["title"], entities["text"], strict=True))
    assert texts["Bridge"] == ["A bridge of oak.", "It was built twice."]
    assert texts["Gate"][-1] == 1  # its last sentence won nowhere


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        ([("bm25", "BM25"), ("muver", "MuVER")], ["bm25"]),
        ([("b1", "BLINK (128)"), ("b5", "BLINK (512)"), ("muver", "MuVER")], ["muver", "b5"]),
        ([("b1", "BLINK (128)"), ("muver", "MuVER")], ["muver", "b1"]),
    ],
)
def test_the_page_opens_with_muver_against_blink(systems, expected):
    table = blank(Table, against="b5")
    assert opened([System(*system, "", table) for system in systems]) == expected


def test_how_rows_read_a_description():
    sentences = {"model": {"views": {"kind": "sentences", "max_tokens": 40}}}
    none = {"kind": None, "max_tokens": None, "global_tokens": None}
    assert views_of({"retrieve": {}}) == none
    assert views_of({"model": {"best_of": {"a": sentences["model"]}}})["kind"] == "sentences"
    fused = {"parts": [{}, {**sentences, "global_view": {"max_tokens": 128}}]}
    expected = {"kind": "sentences", "max_tokens": 40, "global_tokens": 128}
    assert views_of(fused) == expected


def test_what_fits_is_whole():
    assert fit([10_000] * 3, 10) == 300  # the least, over the budget
    assert shorten(["One.", "Two."], [1], None) == ["One.", "Two."]
    assert shorten(["One.", "Two."], [], 8) == ["One.", "Two."]
    assert shorten([], [3], 1) == []


def test_the_view_that_won_comes_first():
    sentences = ["a" * 60, "b" * 60, "c" * 60, "d" * 60]
    assert shorten(sentences, [2], 100) == ["a" * 40 + " …", 1, "c" * 60, 1]
    assert shorten(sentences, [2, 3], 120) == [2, "c" * 60, "d" * 60]
    assert shorten(sentences, [], 90) == ["a" * 60, 3]
    assert shorten(["x" * 500, "y"], [0], 100) == ["x" * 100 + " …", 1]


@given(
    st.lists(st.text("ab", min_size=1, max_size=90), min_size=1, max_size=12),
    st.sets(st.integers(-1, 14)),
    st.integers(40, 400),
)
def test_every_sentence_is_there_or_counted(sentences, needed, limit):
    out = shorten(sentences, needed, limit)
    assert sum(one if isinstance(one, int) else 1 for one in out) == len(sentences)
    place = 0
    for one in out:
        if isinstance(one, int):
            place += one
        else:
            assert sentences[place].startswith(one.removesuffix(" …"))
            place += 1
    if sum(map(len, sentences)) > limit:
        kept = {n for n in needed if 0 <= n < len(sentences)}
        numbers, place = set(), 0
        for one in out:
            if not isinstance(one, int):
                numbers.add(place)
            place += one if isinstance(one, int) else 1
        assert kept <= numbers
