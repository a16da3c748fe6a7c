"""Verdicts on a recall."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.tables.verdict import compare, verdict

RECALL = st.floats(0, 100)


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        # 1.96 sqrt(p (100 - p) / 10000) twice, at 50: 1.96 sqrt(0.25 + 0.25) = 1.386 points
        (51.38, "reproduced"),
        (48.62, "reproduced"),
        (51.4, "near"),
        (48.6, "near"),
        (51.51, "not reproduced"),
        (48.49, "not reproduced"),
    ],
)
def test_by_hand(ours: float, expected: str):
    assert verdict(ours, 50.0, 10_000) == expected


def test_the_interval_narrows_with_mentions_and_away_from_the_middle():
    assert verdict(52.0, 50.0, 1_000) == "reproduced"
    assert verdict(52.0, 50.0, 10_000) == "not reproduced"
    # at 97: 1.96 sqrt(2 * 97 * 3 / 10000) = 0.473
    assert [verdict(value, 97.0, 10_000) for value in (97.45, 97.5)] == ["reproduced", "near"]


def test_seeds_widen_the_interval():
    # 1.96 sqrt(0.5 + 2 * 0.5**2) = 1.96
    assert verdict(51.95, 50.0, 10_000, spread=0.5) == "reproduced"
    assert verdict(51.97, 50.0, 10_000, spread=0.5) == "not reproduced"


def test_nothing_to_spread():
    assert verdict(100.0, 100.0, 5) == verdict(0.0, 0.0, 5) == "reproduced"
    assert verdict(0.0, 100.0, 5) == "not reproduced"


@given(RECALL, RECALL, st.integers(1, 20_000), st.floats(0, 3))
def test_both_ways_alike(ours: float, theirs: float, mentions: int, spread: float):
    found = verdict(ours, theirs, mentions, spread)
    assert verdict(theirs, ours, mentions, spread) == found
    if abs(ours - theirs) > 1.5:
        assert found != "near"


@given(RECALL, RECALL, st.integers(1, 10_000))
def test_fewer_mentions_or_more_spread_never_take_a_reproduction_back(ours, theirs, mentions):
    if verdict(ours, theirs, 2 * mentions) == "reproduced":
        assert verdict(ours, theirs, mentions) == "reproduced"
        assert verdict(ours, theirs, 2 * mentions, spread=1.0) == "reproduced"


def test_compare():
    found = compare({"1": 45.0, "64": 80.0}, {"1": 45.4, "64": None}, 10_000)
    assert found == {
        "paper": {"1": 45.4, "64": None},
        "difference": {"1": pytest.approx(-0.4), "64": None},
        "verdict": {"1": "reproduced", "64": None},
    }
    assert compare({"1": 45.0}, None, 10) == {"paper": None, "difference": None, "verdict": None}
    readme = compare({"1": 50.0}, {"1": 51.9}, 10_000, {"1": 0.5}, "readme")
    assert list(readme) == ["readme", "readme_difference", "readme_verdict"]
    assert readme["readme_verdict"] == {"1": "reproduced"}
