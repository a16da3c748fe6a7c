"""Which views are merged, by hand and by property, over layers and entities."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from muver.io.typed import read
from muver.retriever.views.layout import View
from muver.retriever.views.merging import (
    able_to_grow,
    expand_world,
    grow,
    pairs_to_merge,
    unions_to_add,
)
from muver.retriever.views.views_settings import Merging
from tests.tiny import MARKERS


def on_a_line(*positions: float) -> np.ndarray:
    return np.array([[p, 0.0] for p in positions], dtype=np.float32)


def test_grow_takes_the_ends_from_before_the_layer():
    assert grow([0, 1, 2, 3], [0, 1]) == {0: 1, 1: 2}
    assert grow([1, 2, 2, 3], [0, 1, 2]) == {0: 2, 2: 3}  # slot 2 does not reach beyond slot 1


LAYERS = (
    st.integers(0, 6),
    st.sampled_from([0.0, 0.1, 0.4, 0.7, 1.0]),
    st.sampled_from(["distant", "close"]),
    st.randoms(use_true_random=False),
)


@given(st.integers(1, 12), *LAYERS, st.booleans())
def test_a_layer_takes_the_first_pairs_in_order(views, layers, top_k, pairs, random, replaced):
    """Of all slots as released; where wasted choices are replaced, of those that make a view."""
    ends = list(range(views))
    ranges = {(slot, slot) for slot in range(views)}
    for _ in range(layers):
        vectors = np.array([[random.randint(0, 3)] for _ in range(views)], dtype=np.float32)
        makes = {slot: ends[slot + 1] for slot in range(views - 1) if ends[slot + 1] > ends[slot]}
        chosen = pairs_to_merge(vectors, top_k, pairs, able_to_grow(ends) if replaced else None)
        gap = dict(enumerate(np.abs(np.diff(vectors[:, 0])).tolist()))
        sign = -1 if pairs == "distant" else 1
        order = sorted(makes if replaced else gap, key=lambda slot: (sign * gap[slot], slot))
        assert chosen == sorted(order[: int(views * top_k)])
        grown = grow(ends, chosen)
        assert grown == {slot: makes[slot] for slot in chosen if slot in makes}
        assert not {*grown.items()} & ranges
        ranges |= {*grown.items()}
        for slot, end in grown.items():
            ends[slot] = end


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


@given(st.integers(1, 7), st.integers(0, 4), *LAYERS[1:])
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


def view(*text: int) -> list[int]:
    return [101, 5, 3, *text, 102]


MERGING = {
    "layers": 2, "top_k": 0.4, "pairs": "distant", "among": "neighbours", "max_tokens": 512,
}  # fmt: skip


def greatest(ids) -> np.ndarray:
    """The vector of a view is the greatest number of its text."""
    return np.array([[max(pieces[3:-1])] for pieces in ids], dtype=np.float32).reshape(-1, 1)


def expand(texts_by_entity: list[list[int]], **settings):
    asked_for = read(Merging, {**MERGING, **settings})
    owners = np.repeat(np.arange(len(texts_by_entity)), [len(t) for t in texts_by_entity])
    views = [
        View(view(number), place, place)
        for texts in texts_by_entity
        for place, number in enumerate(texts)
    ]
    asked = []

    def encode(views):
        asked.append(list(views))
        return greatest(views)

    vectors = greatest([view.ids for view in views])
    layers = expand_world(owners, views, vectors, encode, MARKERS, asked_for)
    return layers, asked


def spans(layer):
    return [
        (entity, v.first, v.last) for entity, v in zip(layer.entities, layer.views, strict=True)
    ]


def test_layers_by_hand():
    # Entity 0: 10 20 50 55 60; the gaps are 10 30 5 5, int(5 * .4) = 2 pairs.
    # Layer 1 merges slots 1 (20, 50) and 0 (10, 20): 20 50 50 55 60, gaps 30 0 5 5.
    # Layer 2 merges slots 0 and 2 (5, before slot 3 by order): [0..2] and [2..3].
    # Entity 1: 7 80 81; gaps 73 1, 1 pair: slot 0 is [0..1] = 80; gaps 0 1: slot 1 is [1..2].
    # Entity 2 has two views and never merges.
    layers, asked = expand([[10, 20, 50, 55, 60], [7, 80, 81], [1, 90]])
    assert spans(layers[0]) == [(0, 0, 1), (0, 1, 2), (1, 0, 1)]
    assert spans(layers[1]) == [(0, 0, 2), (0, 2, 3), (1, 1, 2)]
    assert [v.ids for v in layers[1].views] == [view(10, 20, 50), view(50, 55), view(80, 81)]
    assert layers[1].vectors.tolist() == [[50], [55], [81]]
    assert [len(batch) for batch in asked] == [3, 3]  # a layer's views are encoded together


def test_a_wasted_choice_adds_nothing_and_changes_nothing():
    # 0 100 101: slot 0 becomes [0..1] = 100; gaps 0 1: slot 1 becomes [1..2] = 101; gaps 1 0:
    # slot 0 grows to [0..2] = 101; gaps 0 0: slot 0 chosen, and has nowhere to grow.
    layers, _ = expand([[0, 100, 101]], layers=5)
    assert [spans(layer) for layer in layers] == [[(0, 0, 1)], [(0, 1, 2)], [(0, 0, 2)], [], []]


def test_a_wasted_choice_is_replaced_by_the_next_pair():
    # 10 20 50 55 60: layer 1 merges slots 2 (50, 55) and 3 (55, 60): 10 20 55 60 60, gaps
    # 10 35 5 0. As released layer 2 chooses slots 3 and 2, and slot 3 has nowhere to grow. The next
    # pair is slot 0 (10, 20): 20 20 60 60 60. Of these only slot 1 can grow, in layer 3, to [1..4];
    # then only slot 0, to its end; then none.
    close = {"pairs": "close", "layers": 5}
    kept, _ = expand([[10, 20, 50, 55, 60]], **close)
    assert [spans(layer) for layer in kept[:2]] == [[(0, 2, 3), (0, 3, 4)], [(0, 2, 4)]]
    replaced, asked = expand([[10, 20, 50, 55, 60]], **close, wasted="replaced")
    assert [spans(layer) for layer in replaced] == [
        [(0, 2, 3), (0, 3, 4)],
        [(0, 0, 1), (0, 2, 4)],
        [(0, 1, 4)],
        [(0, 0, 4)],
        [],
    ]
    assert replaced[1].vectors.tolist() == [[20], [60]]
    assert [len(batch) for batch in asked] == [2, 2, 1, 1, 0]


def test_merged_views_are_cut():
    layers, _ = expand([[10, 20, 50]], max_tokens=5, layers=1)
    assert [v.ids for v in layers[0].views] == [[101, 5, 3, 20, 102]]


def test_all_pairs_by_hand():
    # Entity 0: 10 20 50, int(3 * .4) = 1 union a layer. Layer 1: 10 and 50 are farthest: 50.
    # Layer 2: V is 10 20 50 50'; 10 is 40 from 50 and 50', but {0, 2} is there; 20 is 30 from
    # both, 50 stands earlier: {1, 2}. Entity 1 has two views and never merges.
    layers, asked = expand([[10, 20, 50], [1, 90]], among="all")
    assert spans(layers[0]) == [(0, 0, 2)]  # the ends of a set with a gap
    assert layers[0].views[0].ids == view(10, 50)
    assert spans(layers[1]) == [(0, 1, 2)]
    assert layers[1].views[0].ids == view(20, 50)
    assert [len(batch) for batch in asked] == [1, 1]
    # Layer 3: {0, 1, 2} by 20 and {0, 2}; then only 0 and 1 are left to unite; then nothing.
    layers, _ = expand([[10, 20, 50]], among="all", layers=5)
    assert [[v.ids for v in layer.views] for layer in layers[2:]] == [
        [view(10, 20, 50)],
        [view(10, 20)],
        [],
    ]


def test_all_pairs_keep_entities_apart():
    alone = [expand([texts], among="all", top_k=0.7)[0] for texts in ([4, 9, 1, 7], [2, 60, 61])]
    together, asked = expand([[4, 9, 1, 7], [2, 60, 61]], among="all", top_k=0.7)
    for number, layer in enumerate(together):
        assert [v.ids for v in layer.views] == [
            v.ids for layers in alone for v in layers[number].views
        ]
    assert len(asked) == 2
