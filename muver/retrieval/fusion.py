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

from muver.corpus.schema import read_mentions
from muver.io.checking import check_choices, with_defaults
from muver.io.errors import InputError
from muver.io.files import write_manifest
from muver.io.progress import logger
from muver.retrieval.pool import Collection, Pool, pool_runs, read_collection
from muver.runs.run import write_run

KINDS = ("reciprocal_rank", "weighted")
VALIDATION = "val"
DEFAULTS = {
    "split": "test",
    "k": 64,
    "match": "title",
    "kind": "reciprocal_rank",
    "constant": 60,
    "weights": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
    "cutoff": 64,
    "parts": [],
}


def reciprocal_rank(ranks: np.ndarray, constant: float) -> np.ndarray:
    """The sum over runs of 1 / (constant + rank); a run without the candidate adds nothing.

    Parameters
    ----------
    ranks : (runs, rows)
        From 1; infinite where a run does not rank the candidate.

    Returns
    -------
    (rows,) float64, the same for any order of the runs.
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
    """The weight with the most hits at ``cutoff``; of equals the one with more hits at 1.

    Where that does not decide either, the weight that is named first is taken.

    Parameters
    ----------
    pool
        Of two runs on validation.
    gold : (mentions,)
        The candidate that is right for each mention.

    Returns
    -------
    ``weight``, ``cutoff``, ``mentions`` and under ``tried`` each weight with its hits at the
    cutoff and at 1.
    """
    tried = []
    for weight in weights:
        ranks = gold_ranks(pool, weighted(pool.scores, weight), gold)
        hits, first = (int(((ranks >= 1) & (ranks <= k)).sum()) for k in (cutoff, 1))
        tried.append({"weight": weight, "hits": hits, "hits_at_1": first})
    best = max(tried, key=lambda one: (one["hits"], one["hits_at_1"]))  # the first of equals
    return {"weight": best["weight"], "cutoff": cutoff, "mentions": len(gold), "tried": tried}


def fuse(
    runs: Sequence[Path],
    validation_runs: Sequence[Path],
    entities: Path,
    mentions: Path,
    run: Path,
    manifest: Path,
    settings: dict[str, Any],
) -> None:
    """Make one run of several.

    Parameters
    ----------
    runs
        Runs of the same mentions, the one whose views are kept first.
    validation_runs
        The same systems' runs on validation, where "weighted" chooses its weight; the gold
        entities of the split itself are never looked at.
    settings
        ``split``, ``k`` and ``match`` as for every run; ``parts``, the names of the runs'
        systems; ``kind``: "reciprocal_rank" with its ``constant``, or "weighted", of two runs,
        whose ``weights`` of the first are tried and the one with most hits at ``cutoff`` is taken.

    Notes
    -----
    The views of a candidate (layer, first, last) are those of the first run that ranks it. Every
    ranked candidate counts by its rank, also one to which BM25 gives no score at all.
    """
    settings = check_settings(settings, len(runs), len(validation_runs))
    split, match = settings["split"], settings["match"]
    chosen = None
    if settings["kind"] == "weighted":
        table, collection = _collect(entities, mentions, VALIDATION, match)
        gold = collection.candidate_of[collection.offsets + table["gold"].to_numpy()]
        pool = pool_runs(validation_runs, collection)
        chosen = choose_weight(pool, gold, settings["weights"], settings["cutoff"])
        logger.info("weight of %s: %s", settings["parts"][0], chosen["weight"])
    _, collection = _collect(entities, mentions, split, match)
    pool = pool_runs(runs, collection)
    if chosen is None:
        scores = reciprocal_rank(pool.ranks, settings["constant"])
    else:
        scores = weighted(pool.scores, chosen["weight"])
    _write(run, collection, pool, scores, settings["k"])
    write_manifest(manifest, "retrieve", settings, {}, counts=None, chosen=chosen)
    logger.info("%d mentions, %d candidates fused", len(collection.mention_ids), len(scores))


def check_settings(given: dict[str, Any], runs: int, validation_runs: int) -> dict[str, Any]:
    """Settings with their defaults.

    Raises
    ------
    InputError
        For an unknown key, a value that is not allowed, or another number of runs than of parts.
    """
    settings = with_defaults(given, DEFAULTS)
    kind, k, cutoff = settings["kind"], settings["k"], settings["cutoff"]
    check_choices(settings, {"kind": KINDS})
    if type(k) is not int or k < 1:
        raise InputError(f"--settings: k is {k!r}, expected at least 1.")
    if len(settings["parts"]) != runs or runs < 2:
        raise InputError(
            f"--settings: parts names {len(settings['parts'])} systems, --runs has {runs} files: "
            "fusion needs two or more, and a name for each."
        )
    if kind == "reciprocal_rank":
        constant = settings["constant"]
        if not isinstance(constant, int | float) or constant <= 0:
            raise InputError(f"--settings: constant is {constant!r}, expected more than 0.")
        if validation_runs:
            raise InputError("--validation-runs: reciprocal_rank chooses nothing; leave them out.")
        return settings
    if runs != 2 or validation_runs != 2:
        raise InputError(
            f"--runs has {runs} files, --validation-runs {validation_runs}: weighted fusion needs "
            "two of each, of the same systems."
        )
    weights = settings["weights"]
    if not weights or not all(isinstance(w, int | float) and 0 <= w <= 1 for w in weights):
        raise InputError(f"--settings: weights is {weights!r}, expected numbers from 0 to 1.")
    if type(cutoff) is not int or not 1 <= cutoff <= k:
        raise InputError(
            f"--settings: cutoff is {cutoff!r}, expected 1 to {k}, the candidates that are kept."
        )
    return settings


def _collect(entities: Path, mentions: Path, split: str, match: str) -> tuple[pa.Table, Collection]:
    """The mentions of a split, and what they are ranked against."""
    table = read_mentions(mentions, split)
    if table.num_rows == 0:
        raise InputError(f"{mentions}: no mentions in split {split!r}.")
    return table, read_collection(entities, table, match)


def _write(path: Path, collection: Collection, pool: Pool, scores: np.ndarray, k: int) -> None:
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
