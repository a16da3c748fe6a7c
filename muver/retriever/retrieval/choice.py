"""Choose on validation the value of a setting that finds most gold entities."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from muver.retriever.retrieval.pool import Pool, pool_runs, read_collection
from muver.retriever.retrieval.rows import mentions_of_split

VALIDATION = "val"


def choose(
    name: str, values: Sequence[float], ranks: Iterable[np.ndarray], cutoff: int
) -> dict[str, Any]:
    """The value with the most hits at ``cutoff``; if equal, the one with more hits at 1.

    If that does not decide either, the first of the values is taken.

    Parameters
    ----------
    ranks : (mentions,) each
        For each value the rank of each mention's gold candidate, from 1; 0 if it is not found.

    Returns ------- The value under ``name``; ``cutoff``, ``mentions`` and, under ``tried``, each
    value with its hits at the cutoff and at 1.

    Examples
    --------
    >>> ranks = np.array([2, 0]), np.array([1, 0]), np.array([1, 3])
    >>> choose("weight", [0.0, 0.5, 1.0], ranks, cutoff=2)["weight"]
    0.5
    """
    tried = []
    for value, own in zip(values, ranks, strict=True):
        hits, first = (int(((own >= 1) & (own <= k)).sum()) for k in (cutoff, 1))
        tried.append({name: value, "hits": hits, "hits_at_1": first})
    best = max(tried, key=lambda one: (one["hits"], one["hits_at_1"]))  # the first of equals
    return {name: best[name], "cutoff": cutoff, "mentions": len(own), "tried": tried}


def validation_pool(
    entities: Path, mentions: Path, match: str, runs: Sequence[Path]
) -> tuple[Pool, np.ndarray]:
    """The candidates of runs on validation side by side, and the (mentions,) gold candidates.

    ``entities`` and ``mentions`` are Parquet files of the corpus stage.
    """
    table = mentions_of_split(mentions, VALIDATION)
    collection = read_collection(entities, table, match)
    gold = collection.candidate_of[collection.offsets + table["gold"].to_numpy()]
    return pool_runs(runs, collection), gold


def ranks_in_runs(pool: Pool, gold: np.ndarray) -> np.ndarray:
    """The rank of each mention's gold candidate in each run: (runs, mentions) float64.

    Ranks count from 1; 0 means that the run does not rank it. ``gold`` is (mentions,).
    """
    rows = np.flatnonzero(pool.candidate == gold[pool.mention])
    ranks = np.zeros((len(pool.ranks), len(gold)))
    ranks[:, pool.mention[rows]] = pool.ranks[:, rows]
    return np.where(np.isfinite(ranks), ranks, 0)
