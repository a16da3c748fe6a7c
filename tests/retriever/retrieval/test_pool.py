"""Ranks of golds in several runs and choices on validation, by hand."""

import numpy as np

from muver.retriever.retrieval.pool import Pool, choose, gold_ranks


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


def test_ranks_of_golds_in_each_run():
    """Mention 0 means candidate 7, which the second run alone ranks; nobody ranks mention 1's."""
    rows = np.zeros(5, dtype=np.int32)
    pool = Pool(
        mention=np.array([0, 0, 1, 2, 2]), candidate=np.array([3, 7, 4, 8, 9]),
        ranks=np.array([[1, np.inf, 1, 1, 2], [2, 1, np.inf, np.inf, 1]]),
        entity=rows, layer=rows, first=rows, last=rows,
    )  # fmt: skip
    found = [gold_ranks(pool, -ranks, np.array([7, 8, 9])).tolist() for ranks in pool.ranks]
    assert found == [[0, 0, 2], [1, 0, 1]]
