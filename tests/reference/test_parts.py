"""The parts of the comparison that reckon something themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.vectors.block import ViewBlock
from tests.reference.replay.rankings import SMALLEST, entity_scores
from tests.reference.replay.training import schedule_of

OWNERS = np.array([0, 0, 1, 2, 2])


def index(owners=OWNERS):
    return ViewBlock.of([np.zeros((len(owners), 1))], owners, np.arange(owners.max() + 1))


def test_a_maximum_is_counted_from_the_best():
    scores = np.array([[1.0, 3.0, 2.5, 0.0, -1.0]])
    np.testing.assert_array_equal(entity_scores(scores, index(), "max", 2), [[0.0, -0.5, -3.0]])


def test_a_sum_counts_views_down_to_the_last_title_of_the_walk():
    """The walk to two titles ends at 2.5: entity 0 keeps 3.0 alone, entity 2 its best view."""
    scores = np.array([[1.0, 3.0, 2.5, 0.0, -1.0]])
    np.testing.assert_allclose(entity_scores(scores, index(), "accumulate", 2), [[0.0, -0.5, -3.0]])
    whole = entity_scores(scores, index(), "accumulate", 3)
    np.testing.assert_allclose(whole, [[np.log1p(np.exp(-2.0)), -0.5, -3.0]])


def test_what_float32_cannot_tell_from_nothing_is_equal():
    scores = np.array([[0.0, 0.0, -200.0, -90.0, -91.0]])
    keys = entity_scores(scores, index(), "max", 3)[0]
    assert keys[1] == keys[2] == -SMALLEST
    assert 87 < SMALLEST < 88


@given(st.lists(st.integers(-5, 5), min_size=5, max_size=5), st.integers(1, 3))
def test_sums_are_those_of_the_walk_itself(values, titles):
    scores = np.array([values], dtype=float)
    sums: dict[int, float] = {}
    order = np.argsort(-scores[0], kind="stable")
    last = [i for i, v in enumerate(order) if len(set(OWNERS[order[: i + 1]])) >= titles][0]
    for view in range(5):  # of views as good as the last one, all count, whatever their order
        if scores[0, view] >= scores[0, order[last]]:
            sums[OWNERS[view]] = sums.get(OWNERS[view], 0) + np.exp(scores[0, view] - max(values))
    keys = entity_scores(scores, index(), "accumulate", titles)[0]
    for entity, total in sums.items():
        assert keys[entity] == pytest.approx(np.log(total))


@pytest.mark.parametrize(
    "rates, expected",
    [
        ([0.0, 1e-5, 8e-5 / 9, 7e-5 / 9], (1e-5, 10)),
        ([0.0, 1e-5, 2e-5, 1.9e-5], (2e-5, 22)),
        ([0.0, 1e-6, 2e-6], (2e-6, 20)),
    ],
)
def test_the_schedule_is_read_off_the_rates(rates, expected):
    assert schedule_of(rates) == expected
