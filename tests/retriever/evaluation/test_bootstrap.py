"""Bootstrap intervals, against exact quantiles and resampling spelt out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from muver.retriever.evaluation.bootstrap import difference_intervals, method, recall_intervals
from muver.retriever.evaluation.recall import scored
from muver.retriever.evaluation.records import Means
from tests.retriever.evaluation.conftest import make_ranks

RANKED = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.integers(0, 20)),
    min_size=1,
    max_size=60,
)


def intervals(worlds: dict[str, dict[int, int]], cutoffs=(1,), size: int = 1) -> tuple[Means, dict]:
    """Mentions by world and rank; those that follow each other in documents of ``size``."""
    ranks = [rank for some in worlds.values() for rank, times in some.items() for _ in range(times)]
    names = [world for world, some in worlds.items() for _ in range(sum(some.values()))]
    clusters = np.arange(len(ranks)) // size
    return recall_intervals(np.array(ranks), names, clusters, cutoffs)


def test_one_world_has_binomial_quantiles():
    found, worlds = intervals({"w": {1: 300, 64: 600, 0: 100}}, (1, 64))
    for k, share in ((1, 0.3), (64, 0.9)):
        exact = binom.ppf([0.025, 0.975], 1000, share) / 10
        assert found.micro[k] == pytest.approx(exact, abs=0.3)
        assert found.micro[k] == found.macro[k] == worlds["w"][k]


def test_mentions_of_a_document_are_drawn_together():
    # 250 documents of four mentions, found or missed as one: 250 draws in place of 1000.
    found, _ = intervals({"w": {1: 300, 0: 700}}, size=4)
    exact = binom.ppf([0.025, 0.975], 250, 0.3) / 2.5
    assert found.micro[1] == pytest.approx(exact, abs=0.5)


def test_documents_of_other_lengths_weigh_by_their_mentions():
    # Of two documents, three mentions found and one missed: as often one of each as twice the same.
    found, _ = recall_intervals(np.array([1, 1, 1, 0]), ["w"] * 4, np.array([0, 0, 0, 1]), [1])
    assert found.micro[1] == [0.0, 100.0]
    thirds = np.array([0] * 90 + [1] * 10)  # one document of 90 mentions found, ten of one missed
    ranks = np.array([1] * 90 + [0] * 10)
    clusters = np.where(thirds == 0, 0, np.arange(100))
    low, high = recall_intervals(ranks, ["w"] * 100, clusters, [1])[0].micro[1]
    # Drawn n times of 11, the long one gives 90 n of 90 n + 11 - n mentions: n = 0 and n = 3.
    assert [low, high] == pytest.approx([0, 100 * 270 / 278])


def test_mentions_are_resampled_within_their_world():
    # One stratum would give 0 to 100 in steps; here nothing varies.
    found, worlds = intervals({"v": {1: 2}, "w": {0: 2}})
    assert found.micro == found.macro == {1: [50.0, 50.0]}
    assert worlds == {"v": {1: [100.0, 100.0]}, "w": {1: [0.0, 0.0]}}


def test_macro_weighs_worlds_alike():
    # Only the small world varies, from 0 to 2 of its 2 mentions.
    found, _ = intervals({"v": {1: 98}, "w": {1: 1, 0: 1}})
    assert found.micro[1] == [98.0, 100.0]
    assert found.macro[1] == [50.0, 100.0]


def difference(*worlds: tuple[int, int, int]) -> list[float]:
    """The interval from mentions won, lost and alike by world, each a document."""
    ahead = np.concatenate([np.repeat([1, -1, 0], times) for times in worlds])
    names = [str(world) for world, times in enumerate(worlds) for _ in range(sum(times))]
    (found,) = difference_intervals(ahead[:, None], names, np.arange(len(names)))
    return found


def test_difference_equals_resampling_of_mentions():
    # 30 mentions won, 10 lost, 60 alike in one world; 5 won, 5 lost of 20 in the other.
    outcome = [np.repeat([1, -1, 0], times) for times in ((30, 10, 60), (5, 5, 10))]
    generator = np.random.default_rng(1)
    drawn = sum(generator.choice(some, (4000, len(some))).sum(axis=1) for some in outcome)
    expected = 100 * np.quantile(drawn, [0.025, 0.975]) / 120
    found = difference((30, 10, 60), (5, 5, 10))
    assert found == pytest.approx(expected, abs=1.0)  # one mention is 0.83 points


def test_runs_that_never_differ_have_no_width():
    assert difference((0, 0, 50)) == [0.0, 0.0]
    assert difference((50, 0, 0)) == [100.0, 100.0]


@settings(max_examples=8, deadline=None)
@given(RANKED)
def test_intervals_hold_the_recall_and_grow_with_k(mentions):
    ranks, worlds, documents = zip(*mentions, strict=True)
    clusters = np.array(documents)
    found = scored(make_ranks(ranks, worlds), [1, 4, 8], "mentions")
    made, by_world = recall_intervals(np.array(ranks), worlds, clusters, [1, 4, 8])
    assert made == recall_intervals(np.array(ranks), worlds, clusters, [1, 4, 8])[0]
    for interval in (made.micro, made.macro, *by_world.values()):
        lows, highs = zip(*interval.values(), strict=True)
        assert list(lows) == sorted(lows) and list(highs) == sorted(highs)
        assert all(0 <= low <= high <= 100 for low, high in interval.values())
    singles, _ = recall_intervals(np.array(ranks), worlds, np.arange(len(ranks)), [1, 4, 8])
    for recall, interval in ((found.micro, singles.micro), (found.macro, singles.macro)):
        for k, (low, high) in interval.items():
            assert low - 1e-9 <= recall[k] <= high + 1e-9


def test_it_says_what_is_resampled():
    assert "of documents with all their mentions within worlds" in method("documents")
    assert "resamples of mentions within worlds" in method("mentions")
