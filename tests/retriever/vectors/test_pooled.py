"""Fewer vectors an entity: by hand, and what holds for any vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.vectors.pooled import pool, pool_each

ONE, TWO = [1.0, 0.0], [0.0, 1.0]


def test_similar_vectors_become_their_mean():
    """Two of them are 0.6, 0.8 and 0.8, 0.6: their mean has length 0.99 and is made 1 again."""
    vectors = np.array([[0.6, 0.8], [-1, 0], [0.8, 0.6]], dtype=np.float32)
    means, members = pool(vectors, 2)
    order = np.argsort(-means[:, 0])
    assert means[order] == pytest.approx(np.array([[0.5**0.5, 0.5**0.5], [-1, 0]]))
    assert members[order].tolist() in ([0, 1], [2, 1])
    assert means.dtype == np.float32


def test_a_mean_is_as_long_as_its_members_are_on_average():
    means, members = pool(np.array([[2, 0], [4, 0], [0, 1]], dtype=np.float32), 2)
    assert sorted(means.tolist()) == [[0, 1], [3, 0]] and 2 in members


def test_vectors_without_a_length():
    means, _ = pool(np.zeros((3, 2), dtype=np.float32), 1)
    assert means.tolist() == [[0, 0]]


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 99))
def test_what_any_pooling_keeps(count, most, seed):
    vectors = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    means, members = pool(vectors, most)
    assert len(means) == len(members) == len({*members.tolist()}) <= min(most, count)
    lengths = np.linalg.norm(vectors, axis=1)
    assert (np.linalg.norm(means, axis=1) <= lengths.max() * (1 + 1e-5)).all()
    assert pool(vectors, count)[0] is vectors


def test_views_of_each_entity_in_any_order():
    """Entities 5 and 3 have their views among each other; the first part has two of them."""
    parts = [np.array([ONE, TWO], dtype=np.float32), np.array([ONE, TWO, TWO], dtype=np.float32)]
    vectors, like = pool_each(parts, np.array([5, 3, 5, 3, 5]), 1)
    assert vectors[0].tolist() == TWO and like.tolist()[0] in (1, 3)
    mean = np.array([2, 1]) / 5**0.5
    assert vectors[1] == pytest.approx(mean) and like[1] in (0, 2)
