"""What stands above a concept."""

from muver.kb.importing.hierarchy import HIGHEST, broader


def test_a_circle_ends_where_it_closes():
    above = {"a": ["b"], "b": ["c"], "c": ["a"]}
    assert broader("a", above.__getitem__, str) == "Broader: b > c."


def test_far_above_is_left_out_and_so_are_names_that_are_not_known():
    up = broader(0, lambda one: [one + 1], lambda one: "" if one == 2 else str(one))
    assert up == "Broader: " + " > ".join(str(n) for n in range(1, HIGHEST + 1) if n != 2) + "."


def test_nothing_above():
    assert broader("a", lambda one: [], str) == ""
