"""Counting and telling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference.replay.tally import Tally


def test_numbers_are_near_or_not():
    tally = Tally()
    expected = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = np.array([[1.0, 2.5], [3.00005, np.nan]])
    tally.close(["a", "b"], expected, found, 1e-4)
    assert (tally.compared, tally.agreed, tally.excused) == (4, 2, 0)
    assert tally.greatest == float("inf")
    assert tally.first == "a, item 1: expected 2, found 2.5"
    assert not tally.agrees


@given(arrays(float, (3, 2), elements=st.floats(-2, 2)), arrays(bool, (3, 2)), st.floats(0, 1))
def test_every_number_is_counted_once(differences, excused, tolerance):
    tally = Tally()
    tally.close("abc", np.zeros((3, 2)), differences, tolerance, excused)
    near = np.abs(differences) <= tolerance
    assert tally.compared == 6
    assert tally.agreed == near.sum()
    assert tally.excused == (excused & ~near).sum()
    assert tally.agrees == (near | excused).all()
    assert (tally.first is None) == tally.agrees


@pytest.mark.parametrize(
    "expected, found, said",
    [
        (3, 4, "w: expected 3, found 4"),
        ([1, 2, 3], [1, 5, 3], "w, item 1: expected 2, found 5"),
        ([1, 2], [1], "w, item 1: expected 2, found nothing"),
        ([], ["a"], "w, item 0: expected nothing, found 'a'"),
    ],
)
def test_the_first_that_differs_is_said(expected, found, said):
    tally = Tally()
    tally.equal("w", expected, found)
    tally.equal("later", 1, 2)
    assert (tally.compared, tally.agreed, tally.first) == (2, 0, said)


def test_an_array_of_another_shape_is_no_match():
    with pytest.raises(AssertionError):
        Tally().close("ab", np.zeros((2, 2)), np.zeros((2, 1)), 1e-4)


def test_what_was_never_compared_does_not_agree():
    assert not Tally().agrees
