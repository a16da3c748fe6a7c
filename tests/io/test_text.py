"""How numbers are printed, and forms of Unicode."""

import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.io.text import MARKS, bounds, normal, percent, probability, spelled

ABOVE, BELOW, VOICED = "\u0301", "\u0316", "\uff9e"
COUNTS = st.integers(1, 20_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


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


def test_bounds():
    assert bounds([0.0, 99.96]) == "0.0 to 100.0"
    assert bounds([-1.5, 0.25], sign=True) == "-1.50 to +0.25"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "p = 1.000"), (0.001, "p = 0.001"), (0.00099, "p < 0.001"), (1e-300, "p < 0.001")],
)
def test_probability(value: float, text: str):
    assert probability(value) == text


@given(st.integers(0, 10_000) | st.floats(allow_nan=False, allow_infinity=False))
def test_spelling_tells_every_value_from_the_others(value: float):
    assert float(spelled(value)) == value


@pytest.mark.parametrize(
    "text", ["Zu\u0308rich", "\u212b", "ガ", "a" + (ABOVE + BELOW) * (MARKS // 2), "-" * 99]
)
def test_a_text_is_in_its_form(text):
    assert normal(text, "NFKC") == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize("pair", [ABOVE + BELOW, VOICED + ABOVE, "\u0f73" + ABOVE])
def test_marks_beyond_the_thirtieth_are_left_out(pair):
    whole, cut = f"é{pair * 500} b{pair * 20}c", f"é{pair * (MARKS // 2)} b{pair * 15}c"
    assert normal(whole, "NFKC") == unicodedata.normalize("NFKC", cut)
