"""Fusion: make one run of several, by their ranks or by their scores.

References
----------
Cormack, Clarke and Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank
learning methods, SIGIR 2009.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.retriever.retrieval.choice import choose
from muver.retriever.retrieval.pool import Collection, Pool
from muver.retriever.runs.run import write_run


def reciprocal_rank(ranks: np.ndarray, constant: float) -> np.ndarray:
    """The sum over runs of 1 / (constant + rank): (rows,) float64, for any order of the runs.

    ``ranks``, (runs, rows), count from 1; they are infinite where a run does not rank the
    candidate, which then adds nothing.

    >>> reciprocal_rank(np.array([[1, 2], [2, np.inf]]), constant=1).round(3).tolist()
    [0.833, 0.333]
    """
    return np.sort(1 / (constant + ranks), axis=0).sum(axis=0)


def weighted(scores: np.ndarray, weight: float) -> np.ndarray:
    """``weight`` times the first run's scores plus the rest of the weight times the second's.

    ``scores`` is (2, rows), from 0 to 1.

    >>> weighted(np.array([[1.0, 0.5], [0.0, 1.0]]), 0.75).tolist()
    [0.75, 0.625]
    """
    return weight * scores[0] + (1 - weight) * scores[1]


def rank_pool(pool: Pool, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Rank each mention's candidates by (rows of the pool,) scores, ties by rank in the first run.

    If that does not decide either, the entity that comes first in the world goes first.

    Returns
    -------
    Rows of the pool, by mention and rank, and the rank of each, from 1; at most k per mention.
    """
    # lexsort is stable: rows with equal keys keep the pool's order, by candidate.
    order = np.lexsort((pool.ranks[0], -scores, pool.mention))
    mentions = pool.mention[order]
    starts = np.flatnonzero(np.r_[True, mentions[1:] != mentions[:-1]])
    sizes = np.diff(np.r_[starts, len(order)])
    ranks = np.arange(len(order)) - np.repeat(starts, sizes) + 1
    return order[ranks <= k], ranks[ranks <= k]


def gold_ranks(pool: Pool, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """The rank that :func:`rank_pool` gives each gold candidate, without sorting the rest.

    Parameters
    ----------
    scores : (rows of the pool,)
    gold : (mentions,)
        The gold candidate of each mention.

    Returns
    -------
    (mentions,) int64; 0 if no run ranks the gold candidate.
    """
    rows = np.flatnonzero(pool.candidate == gold[pool.mention])
    found = np.zeros(len(gold), dtype=bool)
    found[pool.mention[rows]] = True
    score, rank = np.full(len(gold), np.inf), np.full(len(gold), np.inf)
    score[pool.mention[rows]] = scores[rows]
    rank[pool.mention[rows]] = pool.ranks[0, rows]
    score, rank = score[pool.mention], rank[pool.mention]
    before = (pool.ranks[0] < rank) | (
        (pool.ranks[0] == rank) & (pool.candidate < gold[pool.mention])
    )
    ahead = (scores > score) | ((scores == score) & before)
    return np.where(found, np.bincount(pool.mention[ahead], minlength=len(gold)) + 1, 0)


def choose_weight(
    pool: Pool, gold: np.ndarray, weights: Sequence[float], cutoff: int
) -> dict[str, Any]:
    """Choose the weight of the first of two runs (:func:`muver.retriever.retrieval.choice.choose`).

    ``gold``, (mentions,), is the gold candidate of each mention.
    """
    ranks = (gold_ranks(pool, weighted(pool.scores, weight), gold) for weight in weights)
    return choose("weight", weights, ranks, cutoff)


def write_fused(path: Path, collection: Collection, pool: Pool, scores: np.ndarray, k: int) -> None:
    """Write the best ``k`` candidates of each mention as the fused run.

    It is refused if the fused runs together rank fewer than k candidates although there are more.
    """
    rows, ranks = rank_pool(pool, scores, k)
    mention = pool.mention[rows]
    kept = np.bincount(mention, minlength=len(collection.mention_ids))
    short = np.flatnonzero(kept < np.minimum(k, collection.available))
    if len(short):
        raise InputError(
            f"{kept[short[0]]} candidates for mention {collection.mention_ids[short[0]]!r}, "
            f"expected {min(k, collection.available[short[0]])}: the fused runs keep too few. "
            "Raise the k of the fused systems, or lower that of the fusion."
        )
    write_run(
        path,
        pa.array(collection.mention_ids, pa.string()).take(pa.array(mention)),
        collection.worlds.take(pa.array(mention)),
        ranks,
        pool.entity[rows],
        collection.titles.take(pa.array(collection.offsets[mention] + pool.entity[rows])),
        scores[rows],
        pool.layer[rows],
        pool.first[rows],
        pool.last[rows],
    )
