"""Moves of the gold entity, and ties told from changes, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.doctor import ranks as changes

TOLERANCE = 1e-5


def ranked(*pairs: tuple[int, float]) -> tuple[np.ndarray, np.ndarray]:
    entities, scores = zip(*pairs, strict=True)
    return np.array(entities), np.array(scores)


LIST = ranked((4, 9.0), (2, 8.0), (7, 7.0))
SWAPPED = ranked((4, 9.0), (7, 8.0), (2, 7.0))
NEAR = ranked((4, 9.0), (2, 8.0), (7, 7.99999))
NEAR_SWAPPED = ranked((4, 9.0), (7, 8.00001), (2, 8.0))


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (LIST, ranked((4, 1.0), (2, 0.5), (7, 0.1)), "same"),  # the order alone counts
        (LIST, SWAPPED, "changed"),
        (NEAR, NEAR_SWAPPED, "ties"),
        (NEAR, SWAPPED, "changed"),  # near in one run only
        (LIST, ranked((4, 9.0), (2, 8.0), (3, 7.0)), "ties"),  # the cut fell among equals
        (LIST, ranked((4, 9.0), (2, 8.0), (3, 7.5)), "changed"),  # a better last one
        (LIST, ranked((4, 9.0), (3, 8.5), (2, 8.0)), "changed"),  # a newcomer above the end
    ],
)
def test_lists(first, second, kind):
    assert changes.compare_lists(first, second, TOLERANCE) == kind
    assert changes.compare_lists(second, first, TOLERANCE) == kind


def test_small_scores_are_no_ties():
    """Probabilities far below the tolerance still differ in what they say."""
    first, second = ranked((1, 2e-9), (2, 1e-9)), ranked((2, 2e-9), (1, 1e-9))
    assert changes.compare_lists(first, second, TOLERANCE) == "changed"


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_without_any_difference_in_scores_every_order_is_a_tie(one, other):
    flat = np.ones(8)
    kind = changes.compare_lists((np.array(one), flat), (np.array(other), flat), TOLERANCE)
    assert kind == ("same" if list(one) == list(other) else "ties")


def test_gold_by_hand():
    first = {"m1": LIST, "m2": NEAR, "m3": LIST, "m4": LIST, "m5": LIST}
    second = {"m1": SWAPPED, "m2": NEAR_SWAPPED, "m3": SWAPPED, "m4": LIST, "m5": SWAPPED}
    # gold: m1 entity 2 (2 to 3), m2 entity 7 (3 to 2, a tie), m3 not in A, m4 4, m5 lost from 1
    ranks = np.array([2, 3, 0, 1, 1]), np.array([3, 2, 2, 1, 0])
    moved = changes.compare_gold(list(first), ranks, (first, second), 3, TOLERANCE)
    assert [(m["mention"], m["first"], m["second"], m["kind"], m["ties"]) for m in moved] == [
        ("m5", 1, None, "lost", False),  # 3 places, to one below the end
        ("m3", None, 2, "found", False),
        ("m1", 2, 3, "down", False),
        ("m2", 3, 2, "up", True),
    ]
    assert changes.count_moves(moved, 5) == {
        "same": 1, "up": 1, "down": 1, "found": 1, "lost": 1, "ties": 1,
    }  # fmt: skip


def test_what_the_deeper_run_finds_below_is_not_counted():
    deep = {"m": ranked((4, 9.0), (2, 8.0), (7, 7.0))}  # and the gold below
    ranks = np.array([0]), np.array([4])
    assert changes.compare_gold(["m"], ranks, ({"m": LIST}, deep), 3, TOLERANCE) == []
