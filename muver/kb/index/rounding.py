"""Similarities that are the same in any batch, and how far those of matrix products may be off."""

import numpy as np

EPSILON = float(np.finfo(np.float32).eps)


def exactly(vectors: np.ndarray, mentions: np.ndarray, metric: str) -> np.ndarray:
    """(mentions, views) float32 similarities, each by a sum of its own in double precision."""
    views, mentions = vectors.astype(np.float64), mentions.astype(np.float64)
    if metric == "l2":
        squares = [np.square(views - one).sum(axis=1) for one in mentions]
        return -np.sqrt(squares).astype(np.float32)
    products = np.vecdot(views[:, None], mentions[None])
    return np.ascontiguousarray(products.T, np.float32)


def slack(mentions: np.ndarray, length: float, metric: str) -> np.ndarray:
    """(mentions,) more than twice what rounding can move a score of (mentions, d) vectors by;
    ``length`` is that of the longest vector of a view.
    """
    lengths = np.linalg.norm(mentions, axis=1)
    terms = mentions.shape[1] + 16
    if metric == "l2":  # the root of a rounded square
        return 2 * np.sqrt(terms * EPSILON) * (lengths + length)
    return 2 * terms * EPSILON * lengths * length
