"""Fusion: one run from several, by their ranks or by their scores.

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
from muver.retrieval.choice import choose
from muver.retrieval.pool import Collection, Pool
from muver.runs.run import write_run


def reciprocal_rank(ranks: np.ndarray, constant: float) -> np.ndarray:
    """The sum over runs of 1 / (constant + rank); a run without the candidate adds nothing.

    Parameters
    ----------
    ranks : (runs, rows)
        From 1; infinite where a run does not rank the candidate.

    Returns
    -------
    (rows,) float64, the same for any order of the runs.

    Examples
    --------
    >>> reciprocal_rank(np.array([[1, 2], [2, np.inf]]), constant=1).round(3).tolist()
    [0.833, 0.333]
    """
    return np.sort(1 / (constant + ranks), axis=0).sum(axis=0)


def weighted(scores: np.ndarray, weight: float) -> np.ndarray:
    """``weight`` of the first run's scores and the rest of the second's.

    Parameters
    ----------
    scores : (2, rows)
        Between 0 and 1.

    Returns
    -------
    (rows,) float64

    Examples
    --------
    >>> weighted(np.array([[1.0, 0.5], [0.0, 1.0]]), 0.75).tolist()
    [0.75, 0.625]
    """
    return weight * scores[0] + (1 - weight) * scores[1]


def rank_pool(pool: Pool, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The best candidates of each mention; of equals the better one in the first run.

    Where that does not decide either, the entity that stands first in the world goes first.

    Parameters
    ----------
    scores : (rows of the pool,)

    Returns
    -------
    Rows of the pool, by mention and rank, and the rank of each, from 1; at most k a mention.
    """
    # lexsort keeps the pool's order, by candidate, where all keys are equal.
    order = np.lexsort((pool.ranks[0], -scores, pool.mention))
    mentions = pool.mention[order]
    starts = np.flatnonzero(np.r_[True, mentions[1:] != mentions[:-1]])
    sizes = np.diff(np.r_[starts, len(order)])
    ranks = np.arange(len(order)) - np.repeat(starts, sizes) + 1
    return order[ranks <= k], ranks[ranks <= k]


def gold_ranks(pool: Pool, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """The rank that :func:`rank_pool` gives each gold candidate, without ordering the rest.

    Parameters
    ----------
    scores : (rows of the pool,)
    gold : (mentions,)
        The candidate that is right for each mention.

    Returns
    -------
    (mentions,) int64; 0 where no run ranks it.
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
    """The weight of the first of two runs on validation (:func:`muver.retrieval.choice.choose`).

    Parameters
    ----------
    gold : (mentions,)
        The candidate that is right for each mention.
    """
    ranks = (gold_ranks(pool, weighted(pool.scores, weight), gold) for weight in weights)
    return choose("weight", weights, ranks, cutoff)


def write_fused(path: Path, collection: Collection, pool: Pool, scores: np.ndarray, k: int) -> None:
    """Write the fused run: the best ``k`` candidates of each mention.

    Raises
    ------
    InputError
        If the fused runs together rank fewer candidates than there are.
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
