"""Which views are merged, by hand and by property."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.views.merging import able_to_grow, grow, pairs_to_merge, unions_to_add


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


def test_grow_takes_the_ends_from_before_the_layer():
    assert grow([0, 1, 2, 3], [0, 1]) == {0: 1, 1: 2}
    assert grow([1, 2, 2, 3], [0, 1, 2]) == {0: 2, 2: 3}  # slot 2 does not reach beyond slot 1


def test_a_pair_that_makes_no_view_gives_way_to_the_next():
    # 10 20 55 60 60: gaps 10 35 5 0; slots 2 and 3 reached 3 and 4 before, so slot 3 cannot grow.
    vectors, ends = on_a_line(10, 20, 55, 60, 60), [0, 1, 3, 4, 4]
    assert pairs_to_merge(vectors, 0.4, "close") == [2, 3]
    assert grow(ends, [2, 3]) == {2: 4}
    able = able_to_grow(ends)
    assert able.tolist() == [True, True, True, False]
    assert pairs_to_merge(vectors, 0.4, "close", able) == [0, 2]
    assert grow(ends, [0, 2]) == {0: 1, 2: 4}
    assert pairs_to_merge(vectors, 0.4, "distant", able) == [0, 1]
    assert pairs_to_merge(vectors, 0.4, "close", able_to_grow([4, 4, 4, 4, 4])) == []


@given(
    st.integers(1, 12),
    st.integers(0, 6),
    st.sampled_from([0.0, 0.1, 0.4, 0.7, 1.0]),
    st.sampled_from(["distant", "close"]),
    st.randoms(use_true_random=False),
)
def test_with_wasted_choices_replaced_a_layer_makes_as_many_views_as_it_may(
    views, layers, top_k, pairs, random
):
    ends = list(range(views))
    ranges = {(slot, slot) for slot in range(views)}
    for _ in range(layers):
        vectors = np.array([[random.randint(0, 3)] for _ in range(views)], dtype=np.float32)
        possible = [slot for slot in range(views - 1) if ends[slot + 1] > ends[slot]]
        chosen = pairs_to_merge(vectors, top_k, pairs, able_to_grow(ends))
        grown = grow(ends, chosen)
        assert list(grown) == chosen and set(chosen) <= set(possible)
        assert len(grown) == min(int(views * top_k), len(possible))
        gap = {slot: abs(float(vectors[slot + 1, 0] - vectors[slot, 0])) for slot in possible}
        sign = -1 if pairs == "distant" else 1
        order = sorted(possible, key=lambda slot: (sign * gap[slot], slot))
        assert set(chosen) == set(order[: len(chosen)])
        new = {(slot, end) for slot, end in grown.items()}
        assert not new & ranges
        ranges |= new
        for slot, end in grown.items():
            ends[slot] = end


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


def sets(*members: str) -> list[frozenset[int]]:
    """sets("0", "01") is [{0}, {0, 1}]."""
    return [frozenset(map(int, views)) for views in members]


def test_unions_by_hand():
    # Positions 0 1 4 6: the pairs by distance are 03 (6), 13 (5), 02 (4), 12 (3), 23 (2), 01 (1).
    singles, vectors = sets("0", "1", "2", "3"), on_a_line(0, 1, 4, 6)
    assert unions_to_add(singles, vectors, 2, "distant") == sets("03", "13")
    assert unions_to_add(singles, vectors, 2, "close") == sets("01", "23")
    # A fifth member {0, 3} at 9 is 9, 8, 5 and 3 away from the others; with 0 and 3 its union is
    # there already. 1 and 3 are 5 away as well as 2 and the new one, and stand earlier.
    assert unions_to_add([*singles, *sets("03")], on_a_line(0, 1, 4, 6, 9), 3, "distant") == sets(
        "013", "13", "023"
    )


def test_of_equally_distant_pairs_the_earlier_is_united():
    assert unions_to_add(sets("0", "1", "2"), on_a_line(0, 1, 2), 2, "close") == sets("01", "12")
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    assert unions_to_add(sets("0", "1", "2", "3"), square, 1, "distant") == sets("02")


def test_a_union_that_two_pairs_give_is_added_once():
    # 0 and {1, 2} are 4 apart, 2 and {0, 1} are 3: the same union, so the third pair counts.
    known = sets("0", "1", "2", "01", "12")
    vectors = on_a_line(0, 1, 2, 5, 4)
    assert unions_to_add(known, vectors, 2, "distant") == sets("012", "02")


@given(
    st.integers(1, 7),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.1, 0.4, 0.7, 1.0]),
    st.sampled_from(["distant", "close"]),
    st.randoms(use_true_random=False),
)
def test_v_only_gains_new_unions_of_its_members(views, layers, top_k, pairs, random):
    known = [frozenset([view]) for view in range(views)]
    count = int(views * top_k)
    for _ in range(layers):
        vectors = np.array([[random.randint(0, 3)] for _ in known], dtype=np.float32)
        possible = {a | b for a, b in combinations(known, 2)} - set(known)
        new = unions_to_add(known, vectors, count, pairs)
        assert len(new) == len(set(new)) == min(count, len(possible))
        assert set(new) <= possible
        distance = {
            union: (max if pairs == "distant" else min)(
                abs(float(vectors[a, 0] - vectors[b, 0]))
                for a, b in combinations(range(len(known)), 2)
                if known[a] | known[b] == union
            )
            for union in possible
        }
        added = [distance[union] for union in new]
        left_out = [distance[union] for union in possible - set(new)]
        assert added == sorted(added, reverse=pairs == "distant")
        if added and left_out:
            limit = max(left_out) if pairs == "distant" else -min(left_out)
            assert (added[-1] if pairs == "distant" else -added[-1]) >= limit
        known += new
    assert len(known) <= views + layers * count
