"""Moves of the gold entity, and ties told from changes, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.reproduction.doctor import ranks as changes
from muver.reproduction.doctor.runs import Ranked


def ranked(*pairs: tuple[int, float]) -> Ranked:
    names, scores = zip(*pairs, strict=True)
    return Ranked(list(map(str, names)), [], np.array(scores))


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
    assert changes.compare_lists(first, second, 8) == kind
    assert changes.compare_lists(second, first, 8) == kind


def test_small_scores_are_no_ties():
    """Probabilities far below the tolerance still differ in what they say."""
    first, second = ranked((1, 2e-9), (2, 1e-9)), ranked((2, 2e-9), (1, 1e-9))
    assert changes.compare_lists(first, second, 8) == "changed"


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_without_any_difference_in_scores_every_order_is_a_tie(one, other):
    lists = (ranked(*((n, 1.0) for n in order)) for order in (one, other))
    kind = changes.compare_lists(*lists, 8)
    assert kind == ("same" if list(one) == list(other) else "ties")


def test_gold_by_hand():
    first = {"m1": 2, "m2": 3, "m3": 0, "m4": 1, "m5": 1}
    second = {"m5": 0, "m4": 1, "m3": 2, "m2": 2, "m1": 3}
    moved = changes.compare_gold(first, second, 3)
    assert [(m["mention"], m["first"], m["second"], m["kind"]) for m in moved] == [
        ("m5", 1, None, "lost"),  # 3 places, to one below the end
        ("m3", None, 2, "found"),
        ("m1", 2, 3, "down"),
        ("m2", 3, 2, "up"),
    ]


def test_what_the_deeper_run_finds_below_is_not_counted():
    assert changes.compare_gold({"m": 0}, {"m": 4}, 3) == []
