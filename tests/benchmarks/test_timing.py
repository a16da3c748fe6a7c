"""Calls are timed in turn."""

from benchmarks.timing import in_turn


def test_each_repetition_calls_every_side_once():
    called = []
    timed = in_turn({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, 3)
    assert called == ["a", "b"] * 4  # the first ones warm up
    assert len(timed["a"].each) == len(timed["b"].each) == 3
