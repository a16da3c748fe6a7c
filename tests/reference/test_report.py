"""Counting and telling."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from muver.reference.report import Report, Tally, shortened


def test_numbers_are_near_or_not():
    tally = Tally("scores")
    expected = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = np.array([[1.0, 2.5], [3.00005, np.nan]])
    tally.close(lambda place: f"at {place}", expected, found, 1e-4)
    assert (tally.compared, tally.agreed, tally.excused) == (4, 2, 0)
    assert tally.greatest == float("inf")
    assert tally.first == "at (0, 1): expected 2, found 2.5"
    assert not tally.agrees


def test_what_is_excused_counts_as_such_and_not_among_the_differences():
    tally = Tally("scores")
    excused = np.array([[False, True]])
    two = np.zeros((2, 2)), np.array([[0.00002, 5.0], [0, 7.0]])
    tally.close(str, *two, 1e-4, excused)
    assert (tally.compared, tally.agreed, tally.excused) == (4, 2, 2)
    assert tally.greatest == pytest.approx(0.00002)
    assert tally.agrees and tally.first is None


@given(arrays(float, (3, 2), elements=st.floats(-2, 2)), arrays(bool, (3, 2)), st.floats(0, 1))
def test_every_number_is_counted_once(differences, excused, tolerance):
    tally = Tally("scores")
    tally.close(str, np.zeros((3, 2)), differences, tolerance, excused)
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
    tally = Tally("ids")
    tally.equal("w", expected, found)
    tally.equal("later", 1, 2)
    assert (tally.compared, tally.agreed, tally.first) == (2, 0, said)


def test_long_values_are_cut():
    assert shortened("x" * 100) == "'" + "x" * 55 + " ..."


def test_the_table():
    report = Report(recordings=["a"], notes=["a: a note."])
    report.tally("ids").equal("a", 1, 1)
    report.tally("scores").close(str, np.zeros(1), np.full(1, 2e-5), 1e-4)
    report.tally("order").equal("a, place 1", 1, 2)
    assert report.as_text() == (
        "kind    compared  agree  excused  greatest difference\n"
        "------  --------  -----  -------  -------------------\n"
        "ids            1      1\n"
        "scores         1      1                       2.0e-05\n"
        "order          1      0\n"
        "\n"
        "The first difference of each kind:\n"
        "  order: a, place 1: expected 1, found 2\n"
        "\n"
        "  a: a note.\n"
        "\n"
        "1 of 3 kinds differ.\n"
    )


def test_infinity_is_null_in_json():
    report = Report()
    report.tally("scores").close(str, np.zeros(1), np.full(1, np.nan), 1e-4)
    text = json.dumps(report.as_json(), allow_nan=False)
    assert json.loads(text)["kinds"][0]["greatest"] is None
