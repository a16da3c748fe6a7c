"""Merging a world's views over layers, with an encoder that a hand can follow."""

import numpy as np

from muver.io.typed import read
from muver.retriever.views.layout import Markers
from muver.retriever.views.merging import expand_world
from muver.retriever.views.views_settings import Merging

MARKERS = Markers(pad=0, bos=(101,), eos=(102,), mention_start=1, mention_end=2, title_end=3)


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
    ids = [view(number) for texts in texts_by_entity for number in texts]
    asked = []

    def encode(views):
        asked.append(list(views))
        return greatest(views)

    layers = expand_world(owners, ids, greatest(ids), encode, MARKERS, asked_for)
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


def test_close_pairs():
    layers, _ = expand([[10, 20, 50, 55, 60]], pairs="close", layers=1)
    assert spans(layers[0]) == [(0, 2, 3), (0, 3, 4)]


def test_nothing_to_merge_gives_empty_layers():
    layers, _ = expand([[1, 2], [3]])
    assert [spans(layer) for layer in layers] == [[], []]
    assert [layer.vectors.shape for layer in layers] == [(0, 1), (0, 1)]


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
