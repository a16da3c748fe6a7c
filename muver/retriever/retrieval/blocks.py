"""Blocks of scores: some mentions with all views, each candidate's views side by side."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

CACHED_SCORES = 2**17  # half a megabyte, which fits a core's own cache


class Block(NamedTuple):
    """The scores of some mentions with all views; a candidate's views are next to each other."""

    products: np.ndarray  # (mentions, views) float32
    starts: np.ndarray  # (candidates,) first view
    counts: np.ndarray  # (candidates,) number of views
    best: np.ndarray  # (mentions, candidates) float32, the greatest score among the views

    @classmethod
    def of(cls, products: np.ndarray, starts: np.ndarray) -> "Block":
        counts = np.diff(starts, append=products.shape[1])
        return cls(products, starts, counts, np.maximum.reduceat(products, starts, axis=1))

    def few_mentions(self) -> Iterator[slice]:
        """All mentions, a few at a time, so that intermediate results stay in cache."""
        few = max(CACHED_SCORES // self.products.shape[1], 1)
        return (slice(start, start + few) for start in range(0, len(self.products), few))


def top_columns(scores: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k greatest values of each row, greatest first: (rows, k) int64.

    Of equal values the earlier column goes first. ``scores`` is (rows, columns), k <= columns.

    >>> top_columns(np.array([[1.0, 3.0, 2.0, 3.0]]), 3).tolist()
    [[1, 3, 2]]
    """
    columns = scores.shape[1]
    if k >= columns:
        return np.argsort(-scores, axis=1, kind="stable")[:, :k]
    # A partition may take any of the values equal to the k-th; we must take the first ones.
    threshold = -np.partition(-scores, k - 1, axis=1)[:, k - 1 : k]
    above = scores > threshold
    room = k - above.sum(axis=1, keepdims=True)
    equal = scores == threshold
    taken = above | (equal & (np.cumsum(equal, axis=1) <= room))
    chosen = np.nonzero(taken)[1].reshape(len(scores), k)
    order = np.argsort(-np.take_along_axis(scores, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def winning_views(block: Block, chosen: np.ndarray) -> np.ndarray:
    """(mentions, chosen) the best-scoring view of each chosen candidate."""
    won = np.empty_like(chosen)
    few = max(CACHED_SCORES // max(block.counts[chosen].sum(axis=1).max(initial=0), 1), 1)
    for start in range(0, len(chosen), few):
        few_rows = slice(start, start + few)
        views = gather(block._replace(products=block.products[few_rows]), chosen[few_rows])
        best = np.maximum.reduceat(views.values, views.starts)
        winners = np.flatnonzero(views.values == np.repeat(best, views.counts))
        # Of equal views take the first: the first winner at or after the candidate's start.
        first = winners[np.searchsorted(winners, views.starts)]
        won[few_rows] = views.columns[first].reshape(chosen[few_rows].shape)
    return won


class Gathered(NamedTuple):
    """The views of some candidates of some mentions, one candidate's after another's."""

    values: np.ndarray  # (views,) scores; with the mentions and columns that they are of
    mentions: np.ndarray
    columns: np.ndarray
    starts: np.ndarray  # (candidates,) where the views of each begin
    counts: np.ndarray  # and how many there are


def gather(block: Block, candidates: np.ndarray) -> Gathered:
    """The views of the (mentions, some) candidates of each mention."""
    counts = block.counts[candidates].ravel()
    ends = np.cumsum(counts)
    starts = ends - counts
    columns = np.arange(ends[-1]) + np.repeat(block.starts[candidates].ravel() - starts, counts)
    by_mention = counts.reshape(candidates.shape).sum(axis=1)
    mentions = np.repeat(np.arange(len(candidates)), by_mention)
    return Gathered(block.products[mentions, columns], mentions, columns, starts, counts)
