"""Choices that are the same on every machine."""

from miniwikia.chance import Chance


def test_the_seed_text_fixes_every_choice() -> None:
    # Written down once: these numbers may never change, on no machine and no Python.
    chance = Chance("miniwikia", 13, "x")
    assert [chance.below(1000) for _ in range(5)] == [840, 880, 307, 898, 71]
    assert Chance("miniwikia", 13, "y").below(1000) != 840
