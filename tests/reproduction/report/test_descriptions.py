"""Descriptions cut to size."""

from hypothesis import given
from hypothesis import strategies as st

from muver.reproduction.report.descriptions import fit, shorten


def test_fit():
    assert fit([100, 900], 1000) is None
    assert fit([100, 900], 999) == 800
    assert fit([100, 900, 100], 700) == 500
    assert fit([10_000] * 3, 10) == 300  # the least, over the budget


def test_what_fits_is_whole():
    assert shorten(["One.", "Two."], [1], None) == ["One.", "Two."]
    assert shorten(["One.", "Two."], [], 8) == ["One.", "Two."]
    assert shorten([], [3], 1) == []


def test_the_view_that_won_comes_first():
    sentences = ["a" * 60, "b" * 60, "c" * 60, "d" * 60]
    assert shorten(sentences, [2], 100) == ["a" * 40 + " …", 1, "c" * 60, 1]
    assert shorten(sentences, [2, 3], 120) == [2, "c" * 60, "d" * 60]
    assert shorten(sentences, [], 90) == ["a" * 60, 3]
    assert shorten(["x" * 500, "y"], [0], 100) == ["x" * 100 + " …", 1]


@given(
    st.lists(st.text("ab", min_size=1, max_size=90), min_size=1, max_size=12),
    st.sets(st.integers(-1, 14)),
    st.integers(40, 400),
)
def test_every_sentence_is_there_or_counted(sentences, needed, limit):
    out = shorten(sentences, needed, limit)
    assert sum(one if isinstance(one, int) else 1 for one in out) == len(sentences)
    place = 0
    for one in out:
        if isinstance(one, int):
            place += one
        else:
            assert sentences[place].startswith(one.removesuffix(" …"))
            place += 1
    if sum(map(len, sentences)) > limit:
        kept = {n for n in needed if 0 <= n < len(sentences)}
        numbers, place = set(), 0
        for one in out:
            if not isinstance(one, int):
                numbers.add(place)
            place += one if isinstance(one, int) else 1
        assert kept <= numbers
