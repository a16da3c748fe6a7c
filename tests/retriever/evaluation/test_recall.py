"""Ranks and recall against values counted by hand (see conftest.py)."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.parquet import write_table
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.evaluation.recall import (
    RANKS,
    candidates,
    check_same_mentions,
    clusters,
    hits_at,
    ranks_table,
    read_ranks,
    scored,
)
from muver.retriever.evaluation.records import Scores
from muver.retriever.runs.gold import gold_ranks, ranks_of
from muver.retriever.runs.run import read_run
from tests.retriever.evaluation.conftest import RANKED, TITLES, make_ranks, save_run

Ranks = Callable[..., list[int]]


def summarise(ranks: Sequence[int], worlds: Sequence[str], cutoffs: Sequence[int]) -> Scores:
    return scored(make_ranks(ranks, worlds, k=70), cutoffs, "mentions")


@pytest.fixture
def ranks_by(corpus: Path) -> Ranks:
    """Write a run and give the ranks of the gold entities of m1 to m4."""

    def ranks(match: str, **other: list[int]) -> list[int]:
        run = read_run(save_run(corpus / "run.parquet", {**RANKED, **other}))
        mentions = read_mentions(corpus / "mentions.parquet", "test")
        return gold_ranks(run, mentions, TITLES, match).tolist()

    return ranks


def test_equal_titles_are_one_entity_or_not(ranks_by: Ranks):
    assert ranks_by("title") == [1, 2, 3, 1]
    assert ranks_by("id") == [1, 0, 3, 1]


def test_first_of_several_hits_counts(ranks_by: Ranks):
    # With match "id" both Bobs may stand in a run; for "title" the earlier one decides.
    assert ranks_by("title", m2=[1, 2, 0])[1] == 1
    assert ranks_by("id", m2=[1, 2, 0])[1] == 2


@pytest.mark.parametrize("match, first", [("title", [1, 0, 1, 0]), ("id", [1, 0, 0, 0])])
def test_a_page_that_is_no_entity_is_no_first_candidate(corpus: Path, match, first):
    """Of m4, whose first candidate is the last entity of its world."""
    run = read_run(save_run(corpus / "run.parquet", {**RANKED, "m4": [2, 0, 1]}))
    mentions, pages = read_mentions(corpus / "mentions.parquet", "test"), np.array([0, 1, 2, -1])
    found = ranks_of(pages, run, mentions, TITLES, match) == 1
    assert found.tolist() == first


def test_micro_macro_and_worlds():
    found = summarise([1, 2, 3, 1], ["reef", "reef", "reef", "vale"], [1, 2, 3])
    assert found.mentions == 4
    assert found.hits == {1: 2, 2: 3, 3: 4}
    assert found.micro == {1: 50.0, 2: 75.0, 3: 100.0}
    assert found.macro[1] == pytest.approx((100 / 3 + 100) / 2)
    reef = found.worlds["reef"]
    assert (reef.mentions, reef.hits) == (3, {1: 1, 2: 2, 3: 3})
    assert reef.recall == {1: 100 / 3, 2: 200 / 3, 3: 100.0}
    assert list(found.worlds) == ["reef", "vale"]


def test_round_trip(tmp_path: Path):
    table = ranks_table(["a", "b"], ["v", "w"], ["d", None], [0, 64], [3, 0], 64)
    for name in ("x", "y"):
        write_table(tmp_path / name, table)
    found = read_ranks(tmp_path / "x")
    assert found.schema == RANKS
    assert found.to_pydict() == table.to_pydict()
    assert candidates(found) == 64
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_mentions_of_a_document_are_drawn_together():
    worlds, documents = ["v", "v", "v", "w", "v", "v"], ["a", "b", "a", "a", None, None]
    table = make_ranks([1] * 6, worlds, documents=documents)
    assert clusters(table, "documents").tolist() == [0, 1, 0, 3, 4, 5]  # a of w is another
    assert clusters(table, "mentions").tolist() == [0, 1, 2, 3, 4, 5]


def test_what_was_not_retrieved_is_no_hit_at_any_cutoff():
    table = make_ranks([0, 1, 2, 3], k=3)
    assert hits_at(table, 1).tolist() == [False, True, False, False]
    assert hits_at(table, 3).tolist() == [False, True, True, True]


@pytest.mark.parametrize("cutoff", [0, 4])
def test_cutoffs_that_ranks_cannot_tell_are_refused(cutoff: int):
    with pytest.raises(InputError, match=f"recall@{cutoff} cannot .*3 candidates"):
        hits_at(make_ranks([1], k=3), cutoff)


def test_only_ranks_of_the_same_mentions_are_paired():
    table = make_ranks([1, 2], ["v", "w"], [5, 6])
    check_same_mentions(table, make_ranks([0, 0], ["v", "w"], [5, 6]))
    for one, other in (
        (table, table[:1]),
        (table, table.take([1, 0])),
        (table, make_ranks([1, 2], ["v", "v"], [5, 6])),
        (table, make_ranks([1, 2], ["v", "w"], [5, 7])),
        (table[:0], table[:0]),
    ):
        with pytest.raises(InputError, match="cannot be paired"):
            check_same_mentions(one, other)
