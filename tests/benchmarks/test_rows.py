"""A row's ratio is of pairs, and its verdict of the ratio."""

import numpy as np
import pytest

from benchmarks.reaches import judged
from benchmarks.rows import Row


def test_verdicts():
    assert Row("a", "b", ratio=2.0, reach=2.0).verdict == "met"
    assert Row("a", "b", ratio=1.9, reach=2.0).verdict == "missed"
    assert Row("a", "b", ratio=1.9, reach=1.5, at_most=True).verdict == "missed"
    assert Row("a", "b", ratio=1.9).verdict == ""


def test_each_repetition_is_compared_with_its_own_pair():
    """The machine halves its speed in the second pair; medians of the sides would give 3.5."""
    row = Row.compared("a", "b", "views/s", np.array([4, 10, 7]), np.array([2, 4, 2]), work=14)
    assert row.ratios == [2, 2.5, 3.5] and row.ratio == 2.5
    assert (row.baseline, row.ours) == (2, 7)
    assert row.cells()[2:5] == ["2.00 views/s", "7.00 views/s", "2.50 (2.00 to 3.50)"]


def test_seconds_are_shown_as_such():
    row = Row.compared("a", "b", "s", np.array([6.0]), np.array([2.0]))
    assert row.cells()[2:5] == ["6.00 s", "2.00 s", "3.00"]


@pytest.mark.parametrize(
    ("phase", "what", "bound"),
    [
        ("merging", "one pass of 4 layers: share of the fp32 peak", "at least 0.80"),
        ("merging", "one pass of 4 layers, distant, fp32", ""),
        ("encoding", "views, bf16: share of the bf16 peak", "at least 0.60"),
        ("ranking", "max, 16,000 views", "at least 20.0"),
        ("ranking", "max, 1,000 views", ""),
        ("sweep", "both: the whole sweep over our most expensive setting alone", "at most 1.30"),
        ("bm25", "adding 1000 to 10000, beside adding them to 1000", "at most 1.50"),
    ],
)
def test_reaches_of_now(phase, what, bound):
    assert judged(Row(phase, what, reach=99.0, at_most=True)).bound == bound
