"""Paired comparison, against counts and p-values by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.retriever.evaluation.recall import scored
from muver.retriever.evaluation.significance import all_paired, randomisation_test
from tests.retriever.evaluation.conftest import make_ranks

PAIRS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.sampled_from("abc")), min_size=1, max_size=50
)


def paired(first, second, cutoffs, resample):
    (found,) = all_paired([(first, second)], cutoffs, resample)
    return found


def test_by_hand():
    # At 1: won m0, m1, m2; lost m3; both hit m4. At 4: won m2; both hit the rest.
    first = make_ranks([1, 1, 1, 2, 1])
    second = make_ranks([2, 3, 0, 1, 1])
    found = paired(first, second, [1, 4], "documents")
    assert found.won == {1: 3, 4: 1}
    assert found.lost == {1: 1, 4: 0}
    assert found.difference == {1: 40.0, 4: 20.0}
    # 3 of 4 or more uneven: 2 * (4 + 1) / 16; 1 of 1: 2 * 1 / 2.
    assert found.p_value == pytest.approx({1: 0.625, 4: 1.0})
    assert found.interval[4] == [0.0, 60.0]  # of 5 draws with 1/5: at most 3 in 97.5%


def test_worlds_are_strata():
    # All of v won and all of w lost: no resample within worlds can change the difference.
    worlds = ["v"] * 3 + ["w"]
    first, second = make_ranks([1, 1, 1, 0], worlds), make_ranks([0, 0, 0, 1], worlds)
    found = paired(first, second, [1], "documents")
    assert found.interval[1] == [50.0, 50.0]


def test_p_values_too_small_for_a_float_are_not_0():
    assert 0 < randomisation_test(np.ones(10_000, dtype=int)) < 1e-300
    assert randomisation_test(np.zeros(3, dtype=int)) == 1.0
    assert randomisation_test(np.array([1, -1, 2, -2])) == 1.0


def test_whole_documents_are_swapped():
    # Three mentions of one document won, one of another lost: 4 signs, all sums 2 or more from 0.
    documents = ["a", "a", "a", "b"]
    first, second = (make_ranks(r, documents=documents) for r in ([1, 1, 1, 0], [0, 0, 0, 1]))
    found = paired(first, second, [1], "documents")
    assert found.p_value[1] == 1.0
    assert found.interval[1] == [-100.0, 100.0]  # either document may be drawn twice
    alone = paired(first, second, [1], "mentions")
    assert alone.p_value[1] == pytest.approx(0.625)
    assert alone.difference == found.difference == {1: 50.0}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=10))
def test_p_values_count_all_signs(ahead):
    signs = np.array(list(product((-1, 1), repeat=len(ahead))))
    exact = (np.abs(signs @ np.array(ahead)) >= abs(sum(ahead))).mean()
    assert randomisation_test(np.array(ahead)) == pytest.approx(exact)


@settings(max_examples=8, deadline=None)
@given(PAIRS)
def test_antisymmetric_and_true_to_the_recalls(mentions):
    one, other, worlds = (list(column) for column in zip(*mentions, strict=True))
    first, second = make_ranks(one, worlds, k=8), make_ranks(other, worlds, k=8)
    forth, back = (
        paired(first, second, [1, 4], "documents"),
        paired(second, first, [1, 4], "documents"),
    )
    recalls = [scored(table, [1, 4], "documents").micro for table in (first, second)]
    for k in (1, 4):
        low, high = forth.interval[k]
        assert low - 1e-9 <= forth.difference[k] <= high + 1e-9
        assert forth.difference[k] == pytest.approx(recalls[0][k] - recalls[1][k])
        assert 0 < forth.p_value[k] <= 1
        assert back.interval[k] == [-high, -low]
        assert back.difference[k] == -forth.difference[k]
        assert back.p_value[k] == forth.p_value[k]
        assert (back.won[k], back.lost[k]) == (forth.lost[k], forth.won[k])


def test_other_mentions_and_cutoffs_are_refused():
    with pytest.raises(InputError, match="cannot be paired"):
        paired(make_ranks([1, 2]), make_ranks([1]), [1], "documents")
    with pytest.raises(InputError, match="recall@64 cannot .*8 candidates"):
        paired(make_ranks([1]), make_ranks([1], k=8), [64], "documents")
