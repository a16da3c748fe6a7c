"""Exact search over shards against ranking in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.retriever.retrieval.aggregates import MAX, LogMeanExp
from muver.retriever.retrieval.exact import rank, rank_shards
from muver.retriever.vectors.shards import Shards, ViewBlock
from tests.retriever.vectors.made import owners, write_shards

NUMBERS = st.tuples(st.integers(-2, 2), st.integers(-2, 2))


@settings(deadline=None, max_examples=20)  # files are written
@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(1, 14), st.data())
def test_equal_to_ranking_in_memory(tmp_path_factory, counts, k, data):
    """Also where scores are equal, across blocks and parts: small whole numbers."""
    cut = data.draw(st.integers(0, len(counts) - 1))
    sizes = [cut, len(counts) - cut] if cut else [len(counts)]
    counts = np.array(counts)
    total = int(counts.sum())
    vectors = np.array(data.draw(st.lists(NUMBERS, min_size=total, max_size=total)), np.float32)
    mentions = np.array(data.draw(st.lists(NUMBERS, min_size=1, max_size=4)), np.float32)
    shards = Shards(write_shards(tmp_path_factory.mktemp("s"), vectors, counts, sizes))
    found = rank_shards(shards, mentions, k, 0)
    world = ViewBlock.of([vectors], owners(counts), np.arange(len(counts)))
    expected = rank(mentions, [world], k)
    assert np.array_equal(found.entities, expected.entities)
    assert np.array_equal(found.scores, expected.scores)
    assert np.array_equal(found.rows, expected.rows)


@pytest.mark.parametrize("aggregate, tolerance", [(MAX, 1e-5), (LogMeanExp(temperature=0.3), 1e-4)])
def test_equal_on_vectors_of_all_norms(made, aggregate, tolerance):
    mentions = made.mentions[:3]
    world = ViewBlock.of([made.vectors], owners(made.counts), np.arange(600))
    expected = rank(mentions, [world], 20, aggregate)
    # A block of an entity and a mention each, and all at once; a thread for each mention of some
    for memory, threads in ((0, 1), (64, 1), (0, 2), (64, 70)):
        found = rank_shards(made.shards, mentions, 20, memory, aggregate, threads)
        assert np.array_equal(found.entities, expected.entities)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=tolerance, atol=tolerance)
        assert np.array_equal(found.rows, expected.rows)


def test_views_in_half_precision(tmp_path):
    vectors = np.array([[1, 0], [0, 1], [0, 3]], np.float32)
    counts = np.array([1, 2])
    shards = Shards(write_shards(tmp_path, vectors, counts, [2], np.float16))
    found = rank_shards(shards, np.array([[2, 1]], np.float32), 3)
    assert found.entities.tolist() == [[1, 0, -1]]
    assert found.rows.tolist() == [[2, 0, -1]]
    assert found.scores.tolist() == [[3, 2, -np.inf]]


def test_what_a_thread_raises_is_raised(made):
    """So is what reading the views ahead raises."""
    with pytest.raises(ValueError, match="matmul"):
        rank_shards(made.shards, made.mentions[:, :3], 5, threads=2)
