"""Recall against values counted by hand (see conftest.py)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.evaluation.recall import gold_ranks, scored
from muver.retriever.evaluation.records import Scores
from muver.retriever.runs.run import read_run
from tests.retriever.evaluation.conftest import make_ranks

Ranks = Callable[..., list[int]]


def summarise(ranks: Sequence[int], worlds: Sequence[str], cutoffs: Sequence[int]) -> Scores:
    return scored(make_ranks(ranks, worlds, k=70), cutoffs, "mentions")


@pytest.fixture
def ranks_of(corpus: Path, tiny: SimpleNamespace) -> Ranks:
    """Write a run and give the ranks of the gold entities of m1 to m4."""

    def ranks(match: str, k: int = 3, titles=tiny.titles, **other: list[int]) -> list[int]:
        run = read_run(tiny.save_run(corpus / "run.parquet", {**tiny.ranked, **other}))
        mentions = read_mentions(corpus / "mentions.parquet", "test")
        return gold_ranks(run, mentions, titles, match, k).tolist()

    return ranks


def test_equal_titles_are_one_entity_or_not(ranks_of: Ranks):
    assert ranks_of("title") == [1, 2, 3, 1]
    assert ranks_of("id") == [1, 0, 3, 1]


def test_first_of_several_hits_counts(ranks_of: Ranks):
    # With match "id" both Bobs may stand in a run; for "title" the earlier one decides.
    assert ranks_of("title", m2=[1, 2, 0])[1] == 1
    assert ranks_of("id", m2=[1, 2, 0])[1] == 2


def test_order_of_mentions_in_the_run_is_free(corpus: Path, tiny: SimpleNamespace):
    backwards = dict(reversed(tiny.ranked.items()))
    run = read_run(tiny.save_run(corpus / "run.parquet", backwards))
    mentions = read_mentions(corpus / "mentions.parquet", "test")
    assert gold_ranks(run, mentions, tiny.titles, "title", 3).tolist() == [1, 2, 3, 1]


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


def test_not_found_is_never_a_hit():
    assert summarise([0, 0], ["w", "w"], [1, 64]).hits == {1: 0, 64: 0}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 70), st.sampled_from("abc")), min_size=1),
    st.lists(st.integers(1, 64), min_size=1, unique=True).map(sorted),
)
def test_recall_grows_with_k_and_worlds_add_up(mentions, cutoffs):
    ranks, worlds = zip(*mentions, strict=True)
    found = summarise(ranks, worlds, cutoffs)
    assert list(found.hits.values()) == sorted(found.hits.values())
    for k in cutoffs:
        assert found.hits[k] == sum(part.hits[k] for part in found.worlds.values())
        shares = [part.recall[k] for part in found.worlds.values()]
        assert min(shares) - 1e-9 <= found.macro[k] <= max(shares) + 1e-9


def test_missing_mention_is_refused(corpus: Path, tiny: SimpleNamespace):
    ranked = {mention: found for mention, found in tiny.ranked.items() if mention != "m3"}
    run = read_run(tiny.save_run(corpus / "run.parquet", ranked))
    mentions = read_mentions(corpus / "mentions.parquet", "test")
    with pytest.raises(InputError, match="'m3' of reef: 0 in place of 3"):
        gold_ranks(run, mentions, tiny.titles, "title", 3)


def test_cut_run_is_refused_but_small_worlds_are_fine(ranks_of: Ranks):
    with pytest.raises(InputError, match="'m2' of reef: 2 in place of 3"):
        ranks_of("title", m2=[0, 1])
    assert ranks_of("title", k=64) == [1, 2, 3, 1]
    with pytest.raises(InputError, match="3 in place of 4"):  # by id reef has four candidates
        ranks_of("id", k=64)


def test_entities_of_other_data_are_refused(ranks_of: Ranks, tiny: SimpleNamespace):
    with pytest.raises(InputError, match="not the . of world vale"):
        ranks_of("title", titles={**tiny.titles, "vale": ["Dot", "Eve", "Gus"]})
    with pytest.raises(InputError, match="not the . of world vale"):  # entity 2 is beyond these
        ranks_of("title", titles={**tiny.titles, "vale": ["Dot", "Eve"]}, m4=[1, 2])
