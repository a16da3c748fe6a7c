"""Centring and augmentation keep the order of the views."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from muver.retriever.retrieval.ann.transform import Transform, fit

VALUES = st.floats(-8, 8, width=16)


@settings(deadline=None)
@given(
    arrays(np.float32, (7, 3), elements=VALUES),
    arrays(np.float32, (2, 3), elements=VALUES),
    arrays(np.float32, (3,), elements=VALUES),
)
def test_the_nearest_augmented_view_has_the_greatest_product(views, mentions, centre):
    norm = float(np.sqrt(((views - centre).astype(np.float64) ** 2).sum(axis=1).max()))
    transform = Transform(centre, norm)
    own, asked = transform.views(views), transform.mentions(mentions)
    assert own.shape == (7, 4) and asked.shape == (2, 4)
    np.testing.assert_allclose((own**2).sum(axis=1), norm**2, rtol=1e-5, atol=1e-5)
    distances = ((asked[:, None] - own[None]).astype(np.float64) ** 2).sum(axis=2)
    products = mentions.astype(np.float64) @ views.T
    np.testing.assert_allclose(transform.products(mentions, distances), products, atol=1e-3)
    # As far as they are apart at all, views are in the same order.
    for row in range(2):
        order = np.argsort(distances[row], kind="stable")
        ranked = products[row, order]
        assert (np.diff(ranked) <= 1e-3).all()


def test_by_hand():
    transform = Transform(np.array([1, 0], np.float32), 5.0)
    assert transform.views(np.array([[4, 0], [1, 5]], np.float32)).tolist() == [
        [3, 0, 4],
        [0, 5, 0],
    ]
    assert transform.mentions(np.array([[2, 1]], np.float32)).tolist() == [[2, 1, 0]]
    # |(2, 1, 0) - (3, 0, 4)|^2 = 18, and (2, 1).(4, 0) = 8.
    assert transform.products(np.array([[2, 1]], np.float32), np.array([[18.0]])).tolist() == [[8]]


def test_products_of_centred_views():
    transform = Transform(np.array([1, 2], np.float32), None)
    views, mentions = np.array([[3, 1]], np.float32), np.array([[2, 5]], np.float32)
    assert transform.dimension == 2
    found = mentions @ transform.views(views).T
    assert transform.products(mentions, found).tolist() == [[11]]


@pytest.mark.parametrize("centre", [True, False])
def test_fit(made, centre):
    transform = fit(made.shards, centre, True, 1)
    mean = made.vectors.mean(axis=0) if centre else np.zeros(16)
    np.testing.assert_allclose(transform.centre, mean, rtol=1e-4, atol=1e-6)
    norms = np.linalg.norm(made.vectors - mean, axis=1)
    assert transform.norm == pytest.approx(norms.max(), rel=1e-5)
    assert fit(made.shards, centre, False, 1).norm is None
