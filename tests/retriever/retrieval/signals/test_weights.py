"""The choice of weights on validation, followed by hand."""

import numpy as np
import pytest

from muver.retriever.retrieval.signals import TRIED, LabelledScores, choose_weights, gold_ranks


def world(*scores, gold, candidate_of=None, left_out=None):
    scores = np.array(scores, dtype=np.float32)
    return LabelledScores(
        scores,
        np.array(candidate_of or range(scores.shape[2])),
        np.array(gold),
        np.array(left_out or [-1] * len(gold)),
    )


@pytest.mark.parametrize(
    ("weights", "ranks"),
    [
        ([1, 0], [2, 1]),  # by the first signal alone
        ([0, 1], [1, 3]),
        ([1, 1], [1, 3]),  # sums: 5 4 3 and 3 4 3; of two equal ones the first is ahead
        ([2, 1], [1, 2]),  # 7 7 4 and 4 6 6
        ([3, 1], [2, 1]),  # 9 10 5 and 5 8 9
    ],
)
def test_ranks_by_weighted_sums(weights, ranks):
    first, second = [[2, 3, 1], [1, 2, 3]], [[3, 1, 2], [2, 2, 0]]
    assert gold_ranks(world(first, second, gold=[0, 2]), weights).tolist() == ranks


def test_entities_of_one_title_are_one_candidate():
    own = world([[1, 2, 0, 3]], gold=[2], candidate_of=[0, 1, 0, 3])
    # The gold entity's candidate has the score of entity 0: behind 3 and 2
    assert gold_ranks(own, [1]).tolist() == [3]


def test_a_page_that_is_left_out():
    scores = [[3, 2, 1], [3, 2, 1]]
    assert gold_ranks(world(scores, gold=[2, 0], left_out=[0, 0]), [1]).tolist() == [2, 0]


def test_each_signal_takes_its_best_weight_in_turn():
    # Mention 0 needs the first signal less than half of the second, mention 1 has a tie without it
    first = [[2, 0], [1, 0]]
    second = [[0, 1], [0, 0]]
    own = world(first, second, gold=[1, 0])
    found = choose_weights([own], 1)
    # Both found: with the second's weight 1, the first's is the first of the list that is above 0
    # and below 0.5, as with 0 the tie is decided for mention 1 too, and 0 comes first.
    assert (found["weights"], found["cutoff"], found["mentions"]) == ([0, 1.0], 1, 2)
    best = max(found["tried"], key=lambda one: one["hits"])
    assert best == {"weights": [0, 1.0], "hits": 2, "hits_at_1": 2}


def test_a_weight_stays_where_others_are_no_better():
    own = world([[1, 0]], gold=[0])
    found = choose_weights([own], 1)
    assert found["weights"] == [1.0]
    # 0 alone says nothing, and one round changes nothing
    assert [one["weights"][0] for one in found["tried"]] == [
        1.0,
        *(w for w in TRIED if w not in (0, 1)),
    ]


def test_worlds_choose_together():
    one = world([[0, 1]], [[1, 0]], gold=[0])
    two = world([[0, 1]] * 2, [[1, 0]] * 2, gold=[1, 1])
    # The second world has two of three mentions: its signal is worth more
    found = choose_weights([one, two], 1)
    assert found["mentions"] == 3 and found["weights"][0] > found["weights"][1]
