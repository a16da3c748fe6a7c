"""Exact retrieval: every mention against every view of its world, in bounded memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

CACHED_SCORES = 2**17  # half a megabyte, which a core's own cache holds


@dataclass(frozen=True)
class WorldIndex:
    """The views of one world, those of one candidate next to each other.

    A candidate is an entity, or all entities of one title where titles decide (docs/fidelity.md,
    "What counts as found").

    Attributes
    ----------
    vectors : (views, d) float32
    rows : (views,) int64
        Where each of these views stood in the store it was built from.
    starts : (candidates,) int64
        First view of each candidate.
    owners : (views,) int64
        Entity (line number) of each view.
    """

    vectors: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    owners: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """(candidates,) how many views each candidate has."""
        return np.diff(self.starts, append=len(self.owners))


class Ranking(NamedTuple):
    """Ranked candidates of some mentions; -1 and -inf where a world has fewer than k.

    Attributes
    ----------
    entities : (mentions, k) int64
        Line number of the entity whose view won.
    scores : (mentions, k) float32
        The greatest similarity, or the sum of softmax probabilities.
    rows : (mentions, k) int64
        Row of the winning view in the store.
    """

    entities: np.ndarray
    scores: np.ndarray
    rows: np.ndarray

    @classmethod
    def empty(cls, mentions: int, k: int) -> "Ranking":
        """Nothing ranked yet."""
        shape = (mentions, k)
        scores = np.full(shape, -np.inf, dtype=np.float32)
        return cls(np.full(shape, -1), scores, np.full(shape, -1))


def first_with_same(keys: list[Any]) -> np.ndarray:
    """For each position the first position with an equal key: (n,) int64.

    >>> first_with_same(["Fox", "Den", "Fox"]).tolist()
    [0, 1, 0]
    """
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(key, n) for n, key in enumerate(keys)], dtype=np.int64)


def build_world(
    parts: Sequence[np.ndarray], entities: np.ndarray, candidate_of: np.ndarray
) -> WorldIndex:
    """Order views by candidate, in one copy.

    Parameters
    ----------
    parts : (some views, d) each
        The views' vectors, in parts that follow each other.
    entities : (views,)
        Line number of each view's entity.
    candidate_of : (entities of the world,)
        The candidate of each entity, by the line number of its first entity
        (:func:`first_with_same` of titles, or of the line numbers themselves).
    """
    candidates = candidate_of[entities]
    rows = np.argsort(candidates, kind="stable")
    ordered = candidates[rows]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    in_order = np.array_equal(rows, np.arange(len(rows)))
    if in_order and len(parts) == 1:  # a memory-mapped store stays on disk
        return WorldIndex(parts[0], rows, starts, entities)
    vectors = np.empty((len(rows), parts[0].shape[1]), dtype=np.float32)
    places = np.argsort(rows)
    first = 0
    for part in parts:
        vectors[places[first : first + len(part)]] = part
        first += len(part)
    return WorldIndex(vectors, rows, starts, entities[rows])


def rank(
    mentions: np.ndarray,
    world: WorldIndex,
    k: int,
    aggregate: str = "max",
    softmax_candidates: int = 200,
    memory_mb: int = 256,
    metric: str = "dot",
    advance: Callable[[int], object] | None = None,
) -> Ranking:
    """Rank a world's candidates for each mention.

    Parameters
    ----------
    mentions : (mentions, d) float32
    aggregate
        "max": the best view's similarity (equation 4). "softmax_sum": the probabilities of a
        softmax over all views of the world, summed over the candidate's views among the
        ``softmax_candidates`` candidates with the best single views; views below the best view of
        the last of these are not counted (the released code's walk, without sorting all views).
    memory_mb
        Bound on the block of scores held at a time.
    metric
        Similarity of two vectors: "dot", or "l2": minus their Euclidean distance (equation 1).
    advance
        Called with the number of mentions of each block that is ranked.

    Notes
    -----
    Ties go to the candidate that stands first in the world; among a candidate's equal views the
    first one won.
    """
    ranking = Ranking.empty(len(mentions), k)
    keep = min(k, len(world.starts))
    block = max(
        memory_mb * 2**20 // _bytes_a_mention(world, keep, aggregate, softmax_candidates), 1
    )
    view_squares = _squares(world.vectors) if metric == "l2" else None
    for start in range(0, len(mentions), block):
        span = slice(start, start + block)
        products = mentions[span] @ world.vectors.T
        if view_squares is not None:
            _to_distances(products, _squares(mentions[span]), view_squares)
        best = np.maximum.reduceat(products, world.starts, axis=1)
        if aggregate == "max":
            chosen = top_columns(best, keep)
            ranked = np.take_along_axis(best, chosen, axis=1)
        else:
            pool = top_columns(best, min(max(softmax_candidates, keep), best.shape[1]))
            sums = _softmax_sums(products, world, pool, np.take_along_axis(best, pool, axis=1))
            # The pool is in order of candidates here, so that equal sums keep that order.
            inner = top_columns(sums, keep)
            chosen = np.take_along_axis(np.sort(pool, axis=1), inner, axis=1)
            ranked = np.take_along_axis(sums, inner, axis=1)
        views = _winning_views(products, world, chosen)
        ranking.entities[span, :keep] = world.owners[views]
        ranking.rows[span, :keep] = world.rows[views]
        ranking.scores[span, :keep] = ranked
        if advance is not None:
            advance(len(products))
    return ranking


def _bytes_a_mention(world: WorldIndex, keep: int, aggregate: str, candidates: int) -> int:
    """Memory that ranking for one mention takes."""
    views = len(world.owners)
    products = 4 * views  # float32, which become distances in place
    few = max(keep, candidates) if aggregate != "max" else keep
    # Views of candidates that are looked at one by one cost some indices and values more.
    gathered = min(few * int(world.counts.max(initial=1)), views)
    return products + 48 * gathered + 1


def rank_scores(
    scores: np.ndarray, candidate_of: np.ndarray, k: int, memory_mb: int = 256
) -> Ranking:
    """Rank entities by scores; of those that are one candidate, the one that scores best counts.

    Parameters
    ----------
    scores : (mentions, entities)
    candidate_of : (entities,)
        As for :func:`build_world`.
    memory_mb
        Bound on the block of scores ordered at a time.
    """
    order = np.argsort(candidate_of, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(candidate_of[order]) != 0])
    world = WorldIndex(np.empty((len(order), 0), dtype=np.float32), order, starts, order)
    keep = min(k, len(starts))
    ranking = Ranking.empty(len(scores), k)
    block = max(memory_mb * 2**20 // _bytes_a_mention(world, keep, "max", keep), 1)
    for start in range(0, len(scores), block):
        span = slice(start, start + block)
        ordered = scores[span, order]
        best = np.maximum.reduceat(ordered, starts, axis=1)
        chosen = top_columns(best, keep)
        ranking.scores[span, :keep] = np.take_along_axis(best, chosen, axis=1)
        ranking.entities[span, :keep] = order[_winning_views(ordered, world, chosen)]
    return ranking._replace(rows=ranking.entities)


def top_columns(scores: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k greatest values of each row, greatest first, earlier column first on ties.

    Parameters
    ----------
    scores : (rows, columns), k <= columns

    Returns
    -------
    (rows, k) int64

    Examples
    --------
    >>> top_columns(np.array([[1.0, 3.0, 2.0, 3.0]]), 3).tolist()
    [[1, 3, 2]]
    """
    columns = scores.shape[1]
    if k >= columns:
        return np.argsort(-scores, axis=1, kind="stable")[:, :k]
    # argpartition may take any of the values equal to the k-th; those are put right here.
    threshold = -np.partition(-scores, k - 1, axis=1)[:, k - 1 : k]
    above = scores > threshold
    room = k - above.sum(axis=1, keepdims=True)
    equal = scores == threshold
    taken = above | (equal & (np.cumsum(equal, axis=1) <= room))
    chosen = np.nonzero(taken)[1].reshape(len(scores), k)
    order = np.argsort(-np.take_along_axis(scores, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def _squares(vectors: np.ndarray) -> np.ndarray:
    return np.einsum("vd,vd->v", vectors, vectors)


def _to_distances(
    products: np.ndarray, mention_squares: np.ndarray, view_squares: np.ndarray
) -> None:
    """Turn a (mentions, views) block of dot products into minus the distances, in place."""
    products *= -2
    products += mention_squares[:, None]
    products += view_squares
    np.maximum(products, 0, out=products)  # rounding may leave a little less than 0
    np.sqrt(products, out=products)
    np.negative(products, out=products)


def _softmax_sums(
    products: np.ndarray, world: WorldIndex, pool: np.ndarray, pool_best: np.ndarray
) -> np.ndarray:
    """(mentions, pool) sums of probabilities, columns in increasing order of candidate."""
    greatest = pool_best[:, :1]
    normaliser = _normaliser(products, greatest)
    # Only some views of the pool are counted, and only these are summed in double precision.
    views = _gather(products, world, np.sort(pool, axis=1))
    counted = np.flatnonzero(views.values >= pool_best[views.mentions, -1])
    mentions = views.mentions[counted]
    sums = np.zeros(len(views.values))
    sums[counted] = np.exp(views.values[counted].astype(np.float64) - greatest[mentions, 0])
    return np.add.reduceat(sums, views.starts).reshape(pool.shape) / normaliser[:, None]


def _normaliser(products: np.ndarray, greatest: np.ndarray) -> np.ndarray:
    """(mentions,) sum of exp(products - greatest), a few mentions at a time to stay in cache."""
    mentions, views = products.shape
    sums = np.empty(mentions)
    few = max(CACHED_SCORES // views, 1)
    powers = np.empty((min(few, mentions), views), dtype=products.dtype)
    for start in range(0, mentions, few):
        some = slice(start, start + few)
        part = np.subtract(products[some], greatest[some], out=powers[: mentions - start])
        np.exp(part, out=part).sum(axis=1, dtype=np.float64, out=sums[some])
    return sums


def _winning_views(products: np.ndarray, world: WorldIndex, chosen: np.ndarray) -> np.ndarray:
    """(mentions, chosen) the view of each chosen candidate with the greatest product."""
    views = _gather(products, world, chosen)
    best = np.maximum.reduceat(views.values, views.starts)
    winners = np.flatnonzero(views.values == np.repeat(best, views.counts))
    # Of a candidate's equal views the first: the first winner at or after the candidate's start.
    first = winners[np.searchsorted(winners, views.starts)]
    return views.columns[first].reshape(chosen.shape)


class _Gathered(NamedTuple):
    """The views of some candidates of some mentions, one candidate's after the other's.

    ``starts`` and ``counts`` say where each candidate's views begin and how many they are.
    """

    values: np.ndarray
    mentions: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    counts: np.ndarray


def _gather(products: np.ndarray, world: WorldIndex, candidates: np.ndarray) -> _Gathered:
    counts = world.counts[candidates].ravel()
    ends = np.cumsum(counts)
    starts = ends - counts
    columns = np.arange(ends[-1]) + np.repeat(world.starts[candidates].ravel() - starts, counts)
    by_mention = counts.reshape(candidates.shape).sum(axis=1)
    mentions = np.repeat(np.arange(len(candidates)), by_mention)
    return _Gathered(products[mentions, columns], mentions, columns, starts, counts)
