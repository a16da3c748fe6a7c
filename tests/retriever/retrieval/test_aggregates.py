"""The score of an entity by those of its views: by hand, by a plain loop, and what always holds."""

import math

import numpy as np
import pytest

from muver.retriever.retrieval.aggregates import (
    AGGREGATES,
    MAX,
    LogMeanExp,
    SoftmaxSum,
)  # fmt: skip
from muver.retriever.retrieval.blocks import Block
from muver.retriever.retrieval.exact import rank
from muver.retriever.vectors.shards import ViewBlock

ONE = np.ones((1, 1), dtype=np.float32)  # a mention of one dimension: scores are the views
NEAR = {"rtol": 1e-5, "atol": 1e-5}


def ranked(views, owners, aggregate, mentions=ONE, **options):
    """Entities and scores of each mention; views and mentions are numbers."""
    vectors = np.array(views, dtype=np.float32).reshape(len(views), -1)
    index = ViewBlock.of([vectors], np.array(owners), np.arange(max(owners) + 1))
    asked = np.asarray(mentions, dtype=np.float32)
    return rank(asked, [index], max(owners) + 1, aggregate, **options)


def test_log_mean_exp_by_hand():
    # 0.5 log((e^(2 log 3) + e^(2 log 1)) / 2) = 0.5 log 5; and 0.5 log(e^(2 log 2)) = log 2.
    found = ranked(np.log([3, 1, 2]), [0, 0, 1], LogMeanExp(temperature=0.5))
    np.testing.assert_allclose(found.scores[0], [0.5 * math.log(5), math.log(2)], rtol=1e-6)
    assert found.entities.tolist() == [[0, 1]] and found.rows.tolist() == [[0, 2]]
    # At temperature 1 entity 0 has log(4 / 2), as much as entity 1: the earlier one goes first.
    found = ranked(np.log([3, 1, 2.01]), [0, 0, 1], LogMeanExp(temperature=1))
    np.testing.assert_allclose(found.scores[0], [math.log(2.01), math.log(2)], rtol=1e-6)


EVERY = [MAX, SoftmaxSum(softmax_candidates=200, temperature=0.7), LogMeanExp(temperature=0.5)]


@pytest.mark.parametrize("metric", ["dot", "l2"])
def test_log_mean_exp_of_each_entity_s_own_views(metric):
    """Maximum and softmax sum are compared with a walk in test_exact.py."""
    random = np.random.default_rng(0)
    owners = np.array([0, 1, 2, 3, 4, *random.integers(0, 5, 12)])
    views, mentions = (random.normal(size=(n, 6)).astype(np.float32) for n in (len(owners), 7))
    found = ranked(views, owners, LogMeanExp(temperature=0.5), mentions, metric=metric)
    products = mentions @ views.T
    if metric == "l2":
        products = -np.linalg.norm(mentions[:, None] - views, axis=2)
    powers = np.exp(products / 0.5)
    expected = np.stack([np.log(powers[:, owners == e].mean(axis=1)) / 2 for e in range(5)], axis=1)
    order = np.argsort(-expected, axis=1)
    assert found.entities.tolist() == order.tolist()
    np.testing.assert_allclose(found.scores, np.take_along_axis(expected, order, 1), **NEAR)
    of_entity = np.where(owners == found.entities[..., None], products[:, None], -np.inf)
    assert found.rows.tolist() == of_entity.argmax(axis=2).tolist()  # the winner is the best view


@pytest.mark.parametrize("aggregate", EVERY, ids=lambda one: type(one).__name__)
def test_shares_are_the_derivative_by_the_views_scores(aggregate):
    values = np.array([0.3, 1.2, -0.4, 1.1], dtype=np.float64)
    shares = aggregate.shares(values)
    assert shares.sum() == pytest.approx(1)

    def score(views):
        block = Block.of(np.array([views]), np.array([0]))
        if isinstance(aggregate, SoftmaxSum):  # of an unnormalised sum, brought to sum 1 below
            return np.exp(np.array(views) / aggregate.temperature).sum()
        return aggregate.scores(block, 1)[0, 0]

    step = 1e-5
    slopes = [(score(values + step * at) - score(values - step * at)) / (2 * step)
              for at in np.eye(len(values))]  # fmt: skip
    np.testing.assert_allclose(shares, np.array(slopes) / sum(slopes), atol=1e-4)


def test_every_aggregate_says_what_it_does_and_what_of_it_validation_may_choose():
    assert [*AGGREGATES] == ["max", "softmax_sum", "log_mean_exp"]
    for aggregate in AGGREGATES.values():
        assert aggregate.note.startswith("An entity's score is ")
        assert aggregate.chosen in (None, *aggregate.__struct_fields__)
