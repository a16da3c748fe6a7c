"""Distinct entities from an index's views: over-fetching, ties, exact scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.retriever.retrieval.aggregates import MAX, LogMeanExp
from muver.retriever.retrieval.ann.search import best_by_entity, search
from muver.retriever.retrieval.exact import rank_shards
from muver.retriever.vectors.shards import Shards
from tests.retriever.vectors.made import owners, write_shards


class Listed:
    """Stands in for an index: sorted products, ``limit`` views of a mention at most."""

    knob, most = "nprobe", 10**9

    def __init__(self, shards, vectors, limit=10**9):
        self.shards, self.vectors, self.limit = shards, vectors, limit
        self.calls = []

    def search(self, mentions, fetch):
        self.calls.append((len(mentions), fetch))
        products = mentions @ self.vectors.T
        order = np.argsort(-products, axis=1, kind="stable")[:, :fetch]
        views = np.full((len(mentions), fetch), -1)
        views[:, : min(order.shape[1], self.limit)] = order[:, : self.limit]
        # Scores as from a quantised index: in order, but not the products.
        return np.where(views < 0, -np.inf, -np.arange(fetch, dtype=np.float32)), views


@pytest.fixture
def crowded(tmp_path):
    """Entity 0 has 5 views that are best for (1, 0); entities 1 to 4 have one each."""
    vectors = np.array(
        [[9, 0], [8, 0], [7, 0], [6, 0], [5, 0], [4, 1], [3, 1], [2, 1], [1, 1]], np.float32
    )
    shards = Shards(write_shards(tmp_path, vectors, np.array([5, 1, 1, 1, 1]), [5]))
    return shards, vectors


MENTIONS = np.array([[1, 0], [0, 1]], np.float32)


def test_only_mentions_that_lack_are_searched_again(crowded):
    shards, vectors = crowded
    index = Listed(shards, vectors)
    found = search(index, MENTIONS, 2)
    # 2 entities have 3.6 views: 4 are fetched. These are of one entity for the first mention.
    assert index.calls == [(2, 4), (1, 8)]
    assert found.entities.tolist() == [[0, 1], [1, 2]]
    assert found.rows.tolist() == [[0, 5], [5, 6]]
    assert found.scores.tolist() == [[9, 4], [1, 1]]


def test_the_bound_on_views(crowded):
    shards, vectors = crowded
    index = Listed(shards, vectors)
    found = search(index, MENTIONS[:1], 3, most_views=7)
    assert index.calls == [(1, 6), (1, 7)]
    assert found.entities.tolist() == [[0, 1, 2]]
    index = Listed(shards, vectors)
    found = search(index, MENTIONS[:1], 2, most_views=3)
    assert index.calls == [(1, 3)]
    assert found.entities.tolist() == [[0, -1]]
    assert found.scores.tolist() == [[9, -np.inf]]


def test_an_exhausted_index_is_not_asked_again(crowded):
    shards, vectors = crowded
    index = Listed(shards, vectors, limit=3)
    found = search(index, MENTIONS[:1], 2)
    assert index.calls == [(1, 4)]
    assert found.entities.tolist() == [[0, -1]]


def test_without_rescoring_the_scores_are_the_index_s(crowded):
    shards, vectors = crowded
    found = search(Listed(shards, vectors), MENTIONS, 2, rescore=False)
    assert found.entities.tolist() == [[0, 1], [1, 2]]
    assert found.scores.tolist() == [[0, -5], [0, -1]]


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=9), st.integers(1, 11), st.data())
def test_over_fetching_finds_what_exact_search_finds(tmp_path_factory, counts, k, data):
    numbers = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
    counts = np.array(counts)
    total = int(counts.sum())
    vectors = np.array(data.draw(st.lists(numbers, min_size=total, max_size=total)), np.float32)
    mentions = np.array(data.draw(st.lists(numbers, min_size=1, max_size=4)), np.float32)
    folder = write_shards(tmp_path_factory.mktemp("s"), vectors, counts, [len(counts)])
    shards = Shards(folder)
    found = search(Listed(shards, vectors), mentions, k, memory_mb=data.draw(st.integers(0, 1)))
    exact = rank_shards(shards, mentions, k)
    # At the end of a ranking equal entities may stand for each other: scores are the same.
    assert np.array_equal(found.scores, exact.scores)
    for row in range(len(mentions)):
        entities = found.entities[row][found.entities[row] >= 0]
        assert len(set(entities)) == len(entities) == min(k, len(counts))
        above = exact.scores[row] > exact.scores[row, len(entities) - 1]
        assert set(exact.entities[row, above]) <= set(entities)
        own = found.rows[row, : len(entities)]
        assert np.array_equal(owners(counts)[own], entities)
        assert np.array_equal(vectors[own] @ mentions[row], found.scores[row][: len(own)])


@pytest.mark.parametrize("aggregate", [MAX, LogMeanExp(temperature=2)])
def test_an_aggregate_takes_views_that_the_index_did_not_find(crowded, aggregate):
    """One view of entity 0 is found at first, all five count."""
    shards, vectors = crowded
    index = Listed(shards, vectors, limit=5)
    found = search(index, MENTIONS[:1], 5, aggregate=aggregate)
    exact = rank_shards(shards, MENTIONS[:1], 5, aggregate=aggregate)
    assert found.entities.tolist() == [[0, -1, -1, -1, -1]]  # what the index finds
    at = exact.entities[0].tolist().index(0)
    np.testing.assert_allclose(found.scores[0, 0], exact.scores[0, at], rtol=1e-6)
    assert found.rows[0, 0] == 0


def test_a_mention_for_which_the_index_finds_no_view(crowded):
    shards, vectors = crowded
    found = search(Listed(shards, vectors, limit=0), MENTIONS, 2, aggregate=LogMeanExp())
    assert found.entities.tolist() == [[-1, -1], [-1, -1]]


def test_ties_go_to_the_first():
    entities = np.array([[5, 2, 5, 2, -1], [-1, -1, -1, -1, -1], [7, 7, 7, 8, 9]])
    scores = np.array([[1, 1, 1, 0, 9], [0, 0, 0, 0, 0], [1, 3, 3, 2, 0]], np.float32)
    views = np.array([[11, 4, 10, 5, -1], [-1] * 5, [20, 22, 21, 23, 24]])
    best = best_by_entity(entities, scores, views, 2)
    assert best.entities.tolist() == [[2, 5], [-1, -1], [7, 8]]
    assert best.rows.tolist() == [[4, 10], [-1, -1], [21, 23]]
    assert best.scores.tolist() == [[1, 1], [-np.inf, -np.inf], [3, 2]]
