"""Ranks of golds in several runs and choices on validation, by hand."""

import numpy as np

from muver.retriever.retrieval.pool import choose


def test_hits_at_the_cutoff_decide_then_hits_at_1_then_the_order():
    def chosen(*ranks):
        found = choose("temperature", [4, 2, 1][: len(ranks)], map(np.array, ranks), cutoff=3)
        return found["temperature"]

    assert chosen([3, 4, 0], [1, 1, 4], [2, 2, 2]) == 1
    assert chosen([3, 3, 0], [1, 2, 0], [2, 2, 9]) == 2
    assert chosen([2, 0], [3, 0], [2, 4]) == 4


def test_what_was_tried_is_told():
    found = choose("temperature", [0.5, 1], (np.array([2, 0]), np.array([1, 3])), cutoff=2)
    assert found == {
        "temperature": 1, "cutoff": 2, "mentions": 2,
        "tried": [
            {"temperature": 0.5, "hits": 1, "hits_at_1": 0},
            {"temperature": 1, "hits": 1, "hits_at_1": 1},
        ],
    }  # fmt: skip
