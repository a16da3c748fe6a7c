"""Which neighbours are merged, by hand and by property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.views.merging import grow, pairs_to_merge


def on_a_line(*positions: float) -> np.ndarray:
    return np.array([[p, 0.0] for p in positions], dtype=np.float32)


def test_distant_and_close_pairs():
    vectors = on_a_line(0, 1, 4, 6, 6.5)  # distances 1, 3, 2, .5; int(5 * .4) = 2 pairs
    assert pairs_to_merge(vectors, 0.4, "distant") == [1, 2]
    assert pairs_to_merge(vectors, 0.4, "close") == [0, 3]


def test_of_equal_distances_the_earlier_pair_is_chosen():
    vectors = on_a_line(0, 1, 2, 3, 5)  # 1, 1, 1, 2
    assert pairs_to_merge(vectors, 0.4, "distant") == [0, 3]
    assert pairs_to_merge(vectors, 0.4, "close") == [0, 1]


@pytest.mark.parametrize(
    "views, pairs",
    [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 2), (7, 2), (8, 3), (9, 3), (10, 4), (12, 4)],
)
def test_number_of_pairs(views, pairs):
    assert len(pairs_to_merge(on_a_line(*range(views)), 0.4, "distant")) == pairs


def test_all_pairs_and_none():
    assert pairs_to_merge(on_a_line(0, 1, 2), 1.0, "distant") == [0, 1]
    assert pairs_to_merge(on_a_line(0, 1, 2), 0.0, "distant") == []
    assert pairs_to_merge(on_a_line(0), 1.0, "distant") == []


def test_grow_takes_the_ends_from_before_the_layer():
    assert grow([0, 1, 2, 3], [0, 1]) == {0: 1, 1: 2}
    assert grow([1, 2, 2, 3], [0, 1, 2]) == {0: 2, 2: 3}  # slot 2 does not reach beyond slot 1


def test_a_wasted_choice_is_not_replaced():
    assert grow([2, 2, 2], [0]) == {}


@given(
    st.integers(1, 12),
    st.integers(0, 6),
    st.sampled_from([0.0, 0.1, 0.4, 0.7, 1.0]),
    st.sampled_from(["distant", "close"]),
    st.randoms(use_true_random=False),
)
def test_slots_only_grow_to_the_right(views, layers, top_k, pairs, random):
    ends = list(range(views))
    new = 0
    for _ in range(layers):
        vectors = np.array([[random.randint(0, 3)] for _ in range(views)], dtype=np.float32)
        chosen = pairs_to_merge(vectors, top_k, pairs)
        assert chosen == sorted(set(chosen)) and all(0 <= c < views - 1 for c in chosen)
        assert len(chosen) == min(int(views * top_k), views - 1)
        grown = grow(ends, chosen)
        assert set(grown) <= set(chosen)
        assert all(ends[slot] < end < views for slot, end in grown.items())
        assert all(end == ends[slot + 1] for slot, end in grown.items())
        new += len(grown)
        for slot, end in grown.items():
            ends[slot] = end
        assert all(end >= slot for slot, end in enumerate(ends))
    assert new <= layers * int(views * top_k)
