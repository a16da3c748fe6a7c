"""Exact retrieval: each mention against every view of its world, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from muver.retriever.retrieval.aggregates import MAX, Aggregate
from muver.retriever.retrieval.blocks import Block, top_columns, winning_views


@dataclass(frozen=True)
class WorldIndex:
    """The views of one world, each candidate's next to each other.

    A candidate is an entity, or all entities with the same title if titles decide
    (docs/fidelity.md, "What counts as found").

    Attributes
    ----------
    vectors : (views, d) float32
    rows : (views,) int64
        Position of each view in the store.
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
        """(candidates,) the number of views of each candidate."""
        return np.diff(self.starts, append=len(self.owners))

    def of_candidate(self, entity: int) -> "WorldIndex":
        """Only the views of the candidate that an entity belongs to."""
        view = int(np.argmax(self.owners == entity))
        place = int(np.searchsorted(self.starts, view, side="right")) - 1
        own = slice(int(self.starts[place]), int(self.starts[place] + self.counts[place]))
        return WorldIndex(self.vectors[own], self.rows[own], np.array([0]), self.owners[own])


class Ranking(NamedTuple):
    """Ranked candidates of some mentions; -1 and -inf if a world has fewer than k.

    Attributes
    ----------
    entities : (mentions, k) int64
        Line number of the entity whose view won.
    scores : (mentions, k) float32
        The aggregate of the views' similarities.
    rows : (mentions, k) int64
        Row of the winning view in the store.
    """

    entities: np.ndarray
    scores: np.ndarray
    rows: np.ndarray

    @classmethod
    def empty(cls, mentions: int, k: int) -> "Ranking":
        """A ranking without candidates."""
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
        The views' vectors, in consecutive parts.
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
    aggregate: Aggregate = MAX,
    memory_mb: int = 256,
    metric: str = "dot",
    advance: Callable[[int], object] | None = None,
    population: np.ndarray | None = None,
) -> Ranking:
    """Rank a world's candidates for each mention.

    Ties go to the candidate that comes first in the world; of a candidate's equal views the first
    wins.

    Parameters
    ----------
    mentions : (mentions, d) float32
    memory_mb
        Bound on the block of scores held at a time.
    metric
        Similarity of two vectors: "dot", or "l2": minus their Euclidean distance (equation 1).
    advance
        Called after each block with the number of its mentions.
    population : (some, d) float32
        The world's mentions, over which an aggregate that centres takes its means; None means the
        ranked ones.
    """
    ranking = Ranking.empty(len(mentions), k)
    keep = min(k, len(world.starts))
    means = None
    if aggregate.centres:
        drawn = aggregate.drawn(mentions if population is None else population)
        means = _mean_best(drawn, world, memory_mb, metric)
    for span, products in _products(mentions, world, memory_mb, metric, aggregate.gathered(keep)):
        block = Block.of(products, world.starts, means)
        scores = aggregate.scores(block, keep)
        chosen = top_columns(scores, keep)
        views = winning_views(block, chosen)
        ranking.entities[span, :keep] = world.owners[views]
        ranking.rows[span, :keep] = world.rows[views]
        ranking.scores[span, :keep] = np.take_along_axis(scores, chosen, axis=1)
        if advance is not None:
            advance(len(products))
    return ranking


def _mean_best(mentions: np.ndarray, world: WorldIndex, memory_mb: int, metric: str) -> np.ndarray:
    """(candidates,) float32: the mean of each candidate's best view's score over the mentions."""
    sums = np.zeros(len(world.starts))
    for _, products in _products(mentions, world, memory_mb, metric, 0):
        sums += Block.of(products, world.starts).best.sum(axis=0, dtype=np.float64)
    return (sums / len(mentions)).astype(np.float32)


def _products(
    mentions: np.ndarray, world: WorldIndex, memory_mb: int, metric: str, gathered: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """The similarities of all views with consecutive spans of mentions, in bounded memory."""
    squares = _squares(world.vectors) if metric == "l2" else None
    for span in _spans(len(mentions), memory_mb, world, gathered):
        yield span, similarity(mentions[span], world.vectors, metric, squares)


def similarity(
    mentions: np.ndarray, views: np.ndarray, metric: str, squares: np.ndarray | None = None
) -> np.ndarray:
    """(mentions, views) similarities of all with all.

    ``metric`` is as for :func:`rank`; ``squares``, (views,), are the views' squared norms for "l2",
    if they are known.
    """
    products = mentions @ views.T
    if metric == "l2":
        own = _squares(views) if squares is None else squares
        _to_distances(products, _squares(mentions), own)
    return products


def _spans(mentions: int, memory_mb: int, world: WorldIndex, gathered: int) -> Iterator[slice]:
    """As many mentions at a time as fit into memory with all their scores; at least one.

    ``gathered`` is the number of candidates of each mention whose views are gathered one by one.
    """
    views = len(world.owners)
    few = min(gathered * int(world.counts.max(initial=1)), views)
    # A float32 per view, two numbers per candidate, indices and values of gathered views.
    size = max(memory_mb * 2**20 // (4 * views + 12 * len(world.starts) + 48 * few + 1), 1)
    return (slice(start, start + size) for start in range(0, mentions, size))


def rank_scores(
    scores: np.ndarray, candidate_of: np.ndarray, k: int, memory_mb: int = 256
) -> Ranking:
    """Rank entities by (mentions, entities) scores; a candidate has its best entity's score.

    ``candidate_of`` is as for :func:`build_world`; ``memory_mb`` bounds the block of scores sorted
    at a time.
    """
    order = np.argsort(candidate_of, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(candidate_of[order]) != 0])
    world = WorldIndex(np.empty((len(order), 0), dtype=np.float32), order, starts, order)
    keep = min(k, len(starts))
    ranking = Ranking.empty(len(scores), k)
    for span in _spans(len(scores), memory_mb, world, keep):
        block = Block.of(scores[span, order], starts)
        chosen = top_columns(block.best, keep)
        ranking.scores[span, :keep] = np.take_along_axis(block.best, chosen, axis=1)
        ranking.entities[span, :keep] = order[winning_views(block, chosen)]
    return ranking._replace(rows=ranking.entities)


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
