"""Confidence intervals and how a recall is printed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from muver.tables.interval import intervals, percent, wilson

COUNTS = st.integers(1, 20_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS)
def test_wilson_is_scipys(counts):
    hits, mentions = counts
    expected = binomtest(hits, mentions).proportion_ci(0.95, method="wilson")
    found = wilson(hits, mentions)
    assert found == pytest.approx((100 * expected.low, 100 * expected.high), abs=1e-9)
    assert 0 <= found[0] <= 100 * hits / mentions + 1e-9
    assert 100 * hits / mentions - 1e-9 <= found[1] <= 100


def test_wilson_by_hand():
    # z = 1.96: (0.5 + z²/20 -+ z sqrt(0.25/10 + z²/400)) / (1 + z²/10)
    assert intervals({"1": 5}, 10) == {"1": pytest.approx([23.66, 76.34], abs=0.005)}


@pytest.mark.parametrize(
    ("hits", "mentions", "text"),
    [
        (0, 7, "0.00"),
        (7, 7, "100.00"),
        (1, 3, "33.33"),
        (2, 3, "66.67"),
        (9084, 10000, "90.84"),
        (1, 800, "0.12"),  # 0.125: half to even
        (3, 800, "0.38"),  # 0.375
        (5, 100, "5.00"),
    ],
)
def test_percent(hits: int, mentions: int, text: str):
    assert percent(hits, mentions) == text


@given(COUNTS)
def test_percent_is_the_nearest_hundredth(counts):
    hits, mentions = counts
    exact = Decimal(100 * hits) / Decimal(mentions)
    assert abs(Decimal(percent(hits, mentions)) - exact) <= Decimal("0.005") + Decimal("1e-20")
