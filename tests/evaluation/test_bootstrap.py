"""Bootstrap intervals, against exact quantiles and resampling spelt out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from muver.evaluation.bootstrap import difference_interval, recall_intervals
from muver.evaluation.recall import summarise

RANKED = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=1, max_size=60)


def counted(mentions: int, **hits: int) -> dict:
    """One world's counts; hits by cutoff, as k1=..., k2=..."""
    return {"mentions": mentions, "hits": {k[1:]: count for k, count in hits.items()}}


def test_one_world_has_binomial_quantiles():
    found = recall_intervals({"w": counted(1000, k1=300, k64=900)})
    for k, share in (("1", 0.3), ("64", 0.9)):
        exact = binom.ppf([0.025, 0.975], 1000, share) / 10
        assert found["micro"][k] == pytest.approx(exact, abs=0.3)
        assert found["micro"][k] == found["macro"][k] == found["worlds"]["w"][k]


def test_mentions_are_resampled_within_their_world():
    # One stratum would give 0 to 100 in steps; here nothing varies.
    found = recall_intervals({"v": counted(2, k1=2), "w": counted(2, k1=0)})
    assert found["micro"] == found["macro"] == {"1": [50.0, 50.0]}
    assert found["worlds"] == {"v": {"1": [100.0, 100.0]}, "w": {"1": [0.0, 0.0]}}


def test_macro_weighs_worlds_alike():
    # Only the small world varies, from 0 to 2 of its 2 mentions.
    found = recall_intervals({"v": counted(98, k1=98), "w": counted(2, k1=1)})
    assert found["micro"]["1"] == [98.0, 100.0]
    assert found["macro"]["1"] == [50.0, 100.0]


def test_difference_equals_resampling_of_mentions():
    # 30 mentions won, 10 lost, 60 alike in one world; 5 won, 5 lost of 20 in the other.
    outcomes = [np.repeat([1, -1, 0], times) for times in ((30, 10, 60), (5, 5, 10))]
    generator = np.random.default_rng(1)
    drawn = sum(generator.choice(some, (4000, len(some))).sum(axis=1) for some in outcomes)
    expected = 100 * np.quantile(drawn, [0.025, 0.975]) / 120
    found = difference_interval([30, 5], [10, 5], [100, 20])
    assert found == pytest.approx(expected, abs=1.0)  # one mention is 0.83 points


def test_runs_that_never_differ_have_no_width():
    assert difference_interval([0], [0], [50]) == [0.0, 0.0]
    assert difference_interval([50], [0], [50]) == [100.0, 100.0]


@settings(max_examples=25, deadline=None)
@given(RANKED)
def test_intervals_hold_the_recall_and_grow_with_k(mentions):
    ranks, worlds = zip(*mentions, strict=True)
    found = summarise(np.array(ranks), worlds, [1, 4, 8])
    intervals = recall_intervals(found["worlds"])
    pairs = [
        (found["micro"], intervals["micro"]),
        (found["macro"], intervals["macro"]),
        *((found["worlds"][w]["recall"], intervals["worlds"][w]) for w in set(worlds)),
    ]
    for recall, interval in pairs:
        lows, highs = zip(*interval.values(), strict=True)
        assert list(lows) == sorted(lows) and list(highs) == sorted(highs)
        for k, (low, high) in interval.items():
            assert 0 <= low <= recall[k] + 1e-9 and recall[k] - 1e-9 <= high <= 100


def test_same_counts_same_interval():
    worlds = {"w": counted(100, k1=30)}
    assert recall_intervals(worlds) == recall_intervals(worlds)
    assert difference_interval([3], [2], [9]) == difference_interval([3], [2], [9])
