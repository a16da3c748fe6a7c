"""Choices that are the same on every machine."""

from collections import Counter

from miniwikia.chance import Chance, mixed


def test_the_seed_text_fixes_every_choice() -> None:
    # Written down once: these numbers may never change, on no machine and no Python.
    chance = Chance("miniwikia", 13, "x")
    assert [chance.below(1000) for _ in range(5)] == [840, 880, 307, 898, 71]
    assert Chance("miniwikia", 13, "y").below(1000) != 840


def test_a_shuffle_keeps_all_items() -> None:
    assert sorted(Chance("s").shuffled(range(50))) == list(range(50))
    assert Chance("s").shuffled(range(50)) != list(range(50))


def test_weights_are_shares() -> None:
    chance = Chance("w")
    drawn = Counter(chance.weighted([("a", 3.0), ("b", 1.0), ("c", 0.0)]) for _ in range(4000))
    assert drawn["c"] == 0
    assert 0.70 < drawn["a"] / 4000 < 0.80


def test_skewed_prefers_small_numbers() -> None:
    chance = Chance("k")
    drawn = Counter(chance.skewed(10) for _ in range(10_000))
    # The smaller of two even draws from 0..9 is 0 in 19 of 100 cases and 9 in one.
    assert abs(drawn[0] - 1900) < 150 and abs(drawn[9] - 100) < 50


def test_mixed_spreads_evenly() -> None:
    found = Counter(mixed(number, 3) % 4 for number in range(4000))
    assert all(900 < found[rest] < 1100 for rest in range(4))
