"""Exact search: every mention against every view, block by block, in bounded memory.

A world is one block; a knowledge base is many, read from disk while the one before is searched.
Approximate indexes are measured against this.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from muver.io.errors import InputError
from muver.io.progress import Progress
from muver.retriever.retrieval.aggregates import MAX, Aggregate
from muver.retriever.retrieval.blocks import Block, top_columns, winning_views
from muver.retriever.vectors.part import Part
from muver.retriever.vectors.shards import Shards, ViewBlock, side_by_side


class Ranking(NamedTuple):
    """Ranked candidates of some mentions, (mentions, k); -1 and -inf where there are fewer."""

    entities: np.ndarray  # number of the entity whose view won
    scores: np.ndarray  # float32, the aggregate of the views' similarities
    rows: np.ndarray  # number of the winning view in its store

    @classmethod
    def empty(cls, mentions: int, k: int) -> "Ranking":
        shape = (mentions, k)
        scores = np.full(shape, -np.inf, dtype=np.float32)
        return cls(np.full(shape, -1), scores, np.full(shape, -1))


def rank(
    mentions: np.ndarray,
    blocks: Iterable[ViewBlock],
    k: int,
    aggregate: Aggregate = MAX,
    memory_mb: int = 256,
    metric: str = "dot",
    advance: Callable[[int], object] | None = None,
    threads: int | None = None,
) -> Ranking:
    """Rank the candidates of all blocks for each mention.

    Ties go to the candidate that comes first; of a candidate's equal views the first wins.

    Parameters
    ----------
    mentions : (mentions, d) float32
    blocks
        Several only for an aggregate that scores a candidate by its own views ``alone``.
    memory_mb
        Bound on the scores held at a time.
    metric
        Similarity of two vectors: "dot", or "l2": minus their Euclidean distance (equation 1).
    advance
        Called with a number of mentions when a block has been searched for them.
    threads
        Each searches a block for some of the mentions; None leaves threads to the matrix product.
    """
    ranking = Ranking.empty(len(mentions), k)

    def search(block: ViewBlock, squares: np.ndarray | None, span: slice) -> int:
        """Search a block for a span of mentions; their number."""
        products = similarity(mentions[span], block.vectors, metric, squares)
        _enter(ranking, span, block, Block.of(products, block.starts), aggregate)
        return len(products)

    with ExitStack() as stack:
        each = map
        if threads is not None:
            stack.enter_context(threadpool_limits(1, "blas"))
            each = stack.enter_context(ThreadPoolExecutor(threads)).map
        for block in blocks:
            squares = _squares(block.vectors) if metric == "l2" else None
            gathered = aggregate.gathered(min(k, len(block.starts)))
            spans = _spans(mentions, memory_mb, block, gathered, threads or 1)
            for done in each(partial(search, block, squares), spans):
                if advance is not None:
                    advance(done)
    return ranking


def rank_shards(
    shards: Shards,
    mentions: np.ndarray,
    k: int,
    memory_mb: int = 1024,
    aggregate: Aggregate = MAX,
    threads: int = 1,
) -> Ranking:
    """Rank a knowledge base's entities by :func:`rank`, their views read from disk once.

    ``memory_mb`` bounds vectors and scores together, beside the mentions and results.
    """
    progress = Progress("exact search", shards.views, "views")

    def blocks() -> Iterator[ViewBlock]:
        for block in _ahead(shards.blocks(memory_mb // 6)):  # two at a time
            yield block
            progress.advance(len(block.owners))

    ranking = rank(mentions, blocks(), k, aggregate, memory_mb // 2, threads=threads)
    progress.finish()
    return ranking


def _ahead(blocks: Iterator[ViewBlock]) -> Iterator[ViewBlock]:
    """Yield the same blocks; a thread reads each while the one before is searched.

    >>> list(_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end: Any = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, blocks, end)
        while (block := waiting.result()) is not end:
            waiting = pool.submit(next, blocks, end)
            yield block


def queries_of(mentions: Part, shards: Shards) -> np.ndarray:
    """(mentions, d) float32 vectors to compare with the views of a knowledge base."""
    if (mentions.model, mentions.dimension) != (shards.model, shards.dimension):
        raise InputError(
            f"{mentions.path}: vectors of another model than the views in {shards.folder}. Encode "
            "the mentions with the views' model."
        )
    return np.array(mentions.matrix, dtype=np.float32)


def similarity(
    mentions: np.ndarray, views: np.ndarray, metric: str, squares: np.ndarray | None = None
) -> np.ndarray:
    """(mentions, views) similarities of all with all.

    ``metric`` is as for :func:`rank`; ``squares``, (views,), are the views' squared norms for "l2",
    if they are known.
    """
    products = mentions @ views.T
    if metric == "l2":  # minus the distances, in place
        products *= -2
        products += _squares(mentions)[:, None]
        products += _squares(views) if squares is None else squares
        np.maximum(products, 0, out=products)  # rounding may leave a little less than 0
        np.sqrt(products, out=products)
        np.negative(products, out=products)
    return products


def rank_scores(
    scores: np.ndarray, candidate_of: np.ndarray, k: int, memory_mb: int = 256
) -> Ranking:
    """Rank entities by (mentions, entities) scores; a candidate has its best entity's score.

    ``candidate_of`` is as for :meth:`ViewBlock.of`; ``memory_mb`` bounds the scores
    sorted at a time.
    """
    order, starts = side_by_side(candidate_of)
    world = ViewBlock(np.empty((len(order), 0), dtype=np.float32), order, starts, order)
    ranking = Ranking.empty(len(scores), k)
    for span in _spans(scores, memory_mb, world, min(k, len(starts)), 1):
        _enter(ranking, span, world, Block.of(scores[span, order], starts), MAX)
    return ranking


def _enter(
    ranking: Ranking, span: slice, block: ViewBlock, scores: Block, aggregate: Aggregate
) -> None:
    """Enter a block's best candidates into the rankings of a span of mentions, in place."""
    k = ranking.scores.shape[1]
    keep = min(k, len(block.starts))
    values = aggregate.scores(scores, keep)
    # An equal score loses, as it came later.
    better = np.flatnonzero((values > ranking.scores[span, -1:]).any(axis=1))
    if not len(better):
        return
    if len(better) < len(values):
        values = values[better]
        scores = scores._replace(products=scores.products[better], best=scores.best[better])
    chosen = top_columns(values, keep)
    won = winning_views(scores, chosen)
    fresh = block.owners[won], np.take_along_axis(values, chosen, axis=1), block.rows[won]
    rows = np.arange(len(ranking.scores))[span][better]
    pairs = zip(ranking, fresh, strict=True)
    both = [np.concatenate([old[rows], new], axis=1) for old, new in pairs]
    best = top_columns(both[1], k)
    for old, together in zip(ranking, both, strict=True):
        old[rows] = np.take_along_axis(together, best, axis=1)


def _spans(
    mentions: np.ndarray, memory_mb: int, block: ViewBlock, gathered: int, threads: int
) -> Iterator[slice]:
    """As many mentions at a time as fit into memory with all their scores; at least one.

    ``gathered`` is the number of candidates of each mention whose views are gathered one by one.
    """
    views = len(block.owners)
    few = min(gathered * int(block.counts.max(initial=1)), views)
    # A float32 per view, two numbers per candidate, indices and values of gathered views.
    mention_bytes = 4 * views + 12 * len(block.starts) + 48 * few + 1
    size = max(min(memory_mb * 2**20 // threads // mention_bytes, -(-len(mentions) // threads)), 1)
    return (slice(start, start + size) for start in range(0, len(mentions), size))


def _squares(vectors: np.ndarray) -> np.ndarray:
    return np.einsum("vd,vd->v", vectors, vectors)


CACHED_VIEWS = 32  # whose vectors in double precision fit a core's own cache
EPSILON = float(np.finfo(np.float32).eps)


def exactly(vectors: np.ndarray, mentions: np.ndarray, metric: str) -> np.ndarray:
    """(mentions, views) float32 similarities, each by a sum of its own in double precision."""
    exact, mentions = np.empty((len(mentions), len(vectors))), mentions.astype(np.float64)
    for first in range(0, len(vectors), CACHED_VIEWS):
        block = slice(first, first + CACHED_VIEWS)
        views = vectors[block].astype(np.float64)
        for similarities, mention in zip(exact[:, block], mentions, strict=True):
            if metric == "l2":
                apart = views - mention
                similarities[:] = -np.sqrt(np.vecdot(apart, apart))
            else:
                similarities[:] = np.vecdot(views, mention)
    return exact.astype(np.float32)


def slack(
    mentions: np.ndarray, length: float, metric: str, best: np.ndarray | float = 0.0
) -> np.ndarray:
    """(mentions,) more than twice what rounding can move a score of (mentions, d) vectors by;
    ``length`` is that of the longest vector of a view, and ``best`` the (mentions,) greatest
    similarities that were computed, by which those of l2 are known to be far from 0.
    """
    lengths = np.linalg.norm(mentions, axis=1)
    terms = mentions.shape[1] + 16
    if metric == "l2":  # the root of a square that may be off by so much
        off = terms * EPSILON * np.square(lengths + length)
        return 2 * np.minimum(np.sqrt(off), 2 * off / np.maximum(-best, np.sqrt(off)))
    return 2 * terms * EPSILON * lengths * length
