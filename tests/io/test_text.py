"""How numbers are printed, and forms of Unicode."""

import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.io.text import MARKS, normal, percent, spelled

ABOVE, BELOW, VOICED = "\u0301", "\u0316", "\uff9e"
COUNTS = st.integers(1, 20_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS)
def test_percent_is_the_nearest_hundredth(counts):
    hits, mentions = counts
    exact = Decimal(100 * hits) / Decimal(mentions)
    assert abs(Decimal(percent(hits, mentions)) - exact) <= Decimal("0.005") + Decimal("1e-20")


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
