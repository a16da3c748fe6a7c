"""Errors by number of sentences, counted by hand."""

import pytest

from muver.io.errors import InputError
from muver.retriever.evaluation.records import Bin, Remainder
from muver.retriever.evaluation.significance import error_by_length
from tests.retriever.evaluation.conftest import make_ranks

LENGTHS = [1, 5, 6, 10, 10, 0, 21]  # two in 1-5, three in 6-10, none in 11-20


def test_bins_by_hand():
    pages = ["d", "d", "e", "f", "g", "h", "i"]  # the first two are drawn together
    a = make_ranks([1, 9, 9, 0, 1, 0, 0], sentences=LENGTHS, documents=pages)
    b = make_ranks([1, 1, 9, 1, 1, 0, 0], sentences=LENGTHS, documents=pages)
    bins, remainder = error_by_length(a, b, 8, "documents", size=5, last=20)
    assert remainder == Remainder(over=1, without=1)
    assert [(found.first, found.last) for found in bins] == [
        (1, 5), (6, 10), (11, 15), (16, 20),
    ]  # fmt: skip
    assert [found.mentions for found in bins] == [2, 3, 0, 0]
    assert bins[0] == Bin(
        first=1,
        last=5,
        mentions=2,
        errors=[1, 0],
        error=[50.0, 0.0],
        interval=[pytest.approx([9.45, 90.55], abs=0.01), pytest.approx([0, 65.76], abs=0.01)],
        difference=-50.0,
        difference_interval=[-50.0, -50.0],
    )
    assert bins[1].errors == [2, 1]
    assert bins[1].difference == pytest.approx(-100 / 3)
    assert bins[1].difference_interval == [-100.0, 0.0]  # 1 of 27 draws is the same one thrice
    assert bins[2] == Bin(first=11, last=15, mentions=0, errors=[0, 0])


def test_a_bin_is_one_stratum():
    # One mention of each world: within worlds nothing would vary.
    worlds = ["v", "w"]
    first, second = make_ranks([1, 0], worlds), make_ranks([0, 0], worlds)
    bins, _ = error_by_length(first, second, 1, "documents", 5, 100)
    assert bins[0].difference_interval == [0.0, 100.0]
    assert len(bins) == 20 and bins[-1].last == 100


def test_bad_cutoffs_and_other_mentions_are_refused():
    table = make_ranks([1], k=8)
    with pytest.raises(InputError, match="recall@64 cannot"):
        error_by_length(table, table, 64, "documents", 5, 10)
    with pytest.raises(InputError, match="cannot be paired"):
        error_by_length(table, make_ranks([1], sentences=[2], k=8), 8, "documents", 5, 10)
