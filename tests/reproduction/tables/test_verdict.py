"""Verdicts on a recall, and on a difference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.reproduction.tables.records import Judged
from muver.reproduction.tables.verdict import claim, compare, half_width, verdict

RECALL = st.floats(0, 100)
POINTS = st.floats(-100, 100)


def judge(ours: float, theirs: float, mentions: int) -> str:
    return verdict(ours - theirs, half_width(ours, theirs, mentions))


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
    assert judge(ours, 50.0, 10_000) == expected


def test_the_interval_narrows_with_mentions_and_away_from_the_middle():
    assert half_width(50.0, 50.0, 10_000) == pytest.approx(1.386, abs=0.001)
    assert half_width(97.0, 97.0, 10_000) == pytest.approx(0.473, abs=0.001)
    assert [judge(value, 97.0, 10_000) for value in (97.45, 97.5)] == ["reproduced", "near"]


def test_an_interval_wider_than_the_tolerance_reproduces_nothing():
    # Of 1,200 mentions, as Forgotten Realms has: 1.96 sqrt(2 * 62.5 * 37.5 / 1200) = 3.87
    assert half_width(62.5, 62.5, 1200) == pytest.approx(3.87, abs=0.01)
    assert judge(62.5, 62.5, 1200) == judge(65.0, 62.5, 1200) == "cannot tell"
    assert judge(67.5, 62.5, 1200) == "not reproduced"  # further than chance would take it
    assert verdict(1.5, 1.5) == "reproduced" and verdict(1.5, 1.51) == "cannot tell"


def test_seeds_give_the_width():
    # Seeds of 50, 51 and 52 have a deviation of 1; Student's quantile is 4.303 with 2 degrees.
    assert half_width(50.0, 53.0, 10_000, [50, 51, 52]) == pytest.approx(4.303 * 2**0.5, abs=0.002)
    assert half_width(50.0, 53.0, 10_000, [50.0]) == half_width(50.0, 53.0, 10_000)
    assert half_width(50.0, 53.0, 10_000, [50.0, 50.0]) == 0


def test_nothing_to_spread():
    assert judge(100.0, 100.0, 5) == judge(0.0, 0.0, 5) == "reproduced"
    assert judge(0.0, 100.0, 5) == "not reproduced"


@given(RECALL, RECALL, st.integers(1, 20_000))
def test_both_ways_alike(ours: float, theirs: float, mentions: int):
    found = judge(ours, theirs, mentions)
    assert judge(theirs, ours, mentions) == found
    if found == "near":
        assert abs(ours - theirs) <= 1.5
    if found == "reproduced":
        assert half_width(ours, theirs, mentions) <= 1.5


@given(RECALL, RECALL, st.integers(1, 10_000))
def test_fewer_mentions_never_turn_a_number_into_a_failure(ours, theirs, mentions):
    if judge(ours, theirs, 2 * mentions) in ("reproduced", "cannot tell"):
        assert judge(ours, theirs, mentions) in ("reproduced", "cannot tell")


def test_compare():
    found = compare({1: 45.0, 64: 80.0}, {1: 45.4}, 10_000)
    width = pytest.approx(1.379, abs=0.001)
    assert found == {1: Judged(45.4, pytest.approx(-0.4), width, "reproduced")}
    assert compare({1: 45.0}, {}, 10) == {}
    seeds = [{1: 50.0}, {1: 50.2}]  # 12.706 sqrt(2) 0.1414 = 2.54
    assert compare({1: 50.0}, {1: 51.9}, 10_000, seeds)[1].verdict == "cannot tell"


@pytest.mark.parametrize(
    ("difference", "interval", "theirs", "expected"),
    [
        (2.0, [1.0, 3.0], 1.3, "holds"),
        (0.2, [0.1, 0.3], 5.0, "holds"),  # the sign is the claim
        (-2.0, [-3.0, -1.0], 1.3, "does not hold"),
        (0.0, [-0.2, 0.2], 1.3, "does not hold"),  # 1.3 apart, sqrt(2) 0.2 is 0.28
        (0.5, [-0.5, 1.5], 1.3, "cannot tell"),
        (0.5, [0.0, 1.0], 1.3, "does not hold"),  # 0.8 apart, sqrt(2) 0.5 is 0.71
        (0.0, [0.0, 0.0], 1.3, "does not hold"),
        (0.3, [-0.5, 1.1], 0.0, "cannot tell"),  # alike is no claim that an interval can show
        (3.0, [2.0, 4.0], 0.0, "does not hold"),
    ],
)
def test_a_claim_by_hand(difference, interval, theirs, expected):
    assert claim(difference, interval, theirs) == expected
    low, high = interval
    assert claim(-difference, [-high, -low], -theirs) == expected


@given(POINTS, st.floats(0, 20), POINTS)
def test_a_claim_that_holds_has_the_papers_sign(difference, half, theirs):
    found = claim(difference, [difference - half, difference + half], theirs)
    if found == "holds":
        assert (difference > 0) == (theirs > 0) and difference and theirs
