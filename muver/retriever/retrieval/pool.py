"""Candidates of several runs side by side: fused to one run, and compared on validation.

Fusion is by Cormack, Clarke and Büttcher, Reciprocal rank fusion outperforms Condorcet and
individual rank learning methods, SIGIR 2009.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.retrieval.rows import candidates
from muver.retriever.runs.run import mentions_of_rows, read_run, write_run

KEPT = ("entity", "layer", "first", "last")


@dataclass(frozen=True)
class Collection:
    """The mentions of a split and the entities that they may mean, world after world."""

    mention_ids: list[str]
    worlds: pa.Array  # (mentions,)
    gold: np.ndarray  # (mentions,)
    offsets: np.ndarray  # (mentions,) where the entities of each mention's world begin
    titles: pa.Array  # (entities,)
    # (entities,) each one's own position, or that of the first entity with its title.
    candidate_of: np.ndarray


@dataclass(frozen=True)
class Pool:
    """Every candidate that some run ranks for a mention, ordered by mention, then candidate."""

    mention: np.ndarray  # (rows,) position in a Collection, as is the candidate
    candidate: np.ndarray
    ranks: np.ndarray  # (runs, rows) from 1; infinite if the run does not rank the candidate
    entity: np.ndarray  # (rows,) from the first run that ranks the candidate, as are the next
    layer: np.ndarray
    first: np.ndarray
    last: np.ndarray


def read_collection(entities: Path, mentions: Path, split: str, match: str) -> Collection:
    """Read a split's mentions and the entities that they are ranked against.

    With ``match`` "title", entities with the same title are one candidate; with "id", each is its
    own.
    """
    table = read_mentions(mentions, split)
    worlds = table["world"].combine_chunks()
    titles: list[str] = []
    parts: list[np.ndarray] = []
    offset_of = {}
    for world in dict.fromkeys(worlds.to_pylist()):
        # One world at a time: the table also holds the descriptions.
        names = read_entities(entities, [world])["title"].to_pylist()
        offset_of[world] = len(titles)
        parts.append(candidates(names, match) + len(titles))
        titles.extend(names)
    return Collection(
        table["mention_id"].to_pylist(),
        worlds,
        table["gold"].to_numpy(),
        np.array([offset_of[world] for world in worlds.to_pylist()]),
        pa.array(titles, pa.string()),
        np.concatenate(parts),
    )


def pool_runs(runs: Sequence[Path], collection: Collection) -> Pool:
    """Read runs of a collection's mentions and put their candidates side by side."""
    tables = [read_run(path, collection.mention_ids) for path in runs]
    keys = []
    for table in tables:
        mention = mentions_of_rows(table, collection.mention_ids)
        entity = collection.offsets[mention] + table["entity"].to_numpy()
        keys.append(mention * len(collection.titles) + collection.candidate_of[entity])
    pooled, places = np.unique(np.concatenate(keys), return_inverse=True)
    ranks = np.full((len(runs), len(pooled)), np.inf)
    kept = {name: np.empty(len(pooled), dtype=np.int32) for name in KEPT}
    places = np.split(places, np.cumsum([len(part) for part in keys])[:-1])
    for n in reversed(range(len(runs))):  # the first run writes last
        ranks[n, places[n]] = tables[n]["rank"].to_numpy()
        for name, values in kept.items():
            values[places[n]] = tables[n][name].to_numpy()
    mention, candidate = np.divmod(pooled, len(collection.titles))
    return Pool(mention, candidate, ranks, **kept)


def reciprocal_rank(ranks: np.ndarray, constant: float) -> np.ndarray:
    """The sum over runs of 1 / (constant + rank): (rows,) float64, for any order of the runs.

    ``ranks``, (runs, rows), count from 1; they are infinite where a run does not rank the
    candidate, which then adds nothing.

    >>> reciprocal_rank(np.array([[1, 2], [2, np.inf]]), constant=1).round(3).tolist()
    [0.833, 0.333]
    """
    return np.sort(1 / (constant + ranks), axis=0).sum(axis=0)


def ranks_by(pool: Pool, scores: np.ndarray) -> np.ndarray:
    """The rank of each row among its mention's, from 1, by (rows,) scores: (rows,) int64.

    Ties go to the better rank in the first run, then to the entity that comes first in the world.
    """
    # lexsort is stable: rows with equal keys keep the pool's order, by candidate.
    order = np.lexsort((pool.ranks[0], -scores, pool.mention))
    starts = np.searchsorted(pool.mention, pool.mention)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - starts + 1
    return ranks


def gold_ranks(pool: Pool, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """The rank that :func:`ranks_by` gives each gold candidate, without sorting: (mentions,) int64.

    It is 0 where no run ranks the gold candidate, or its score is -inf. ``gold`` is (mentions,).
    """
    rows = np.flatnonzero((pool.candidate == gold[pool.mention]) & np.isfinite(scores))
    row_of = np.full(len(gold), -1)
    row_of[pool.mention[rows]] = rows
    at = row_of[pool.mention]  # the gold's row, of each row's mention
    first = pool.ranks[0]
    before = (first < first[at]) | ((first == first[at]) & (np.arange(len(at)) < at))
    ahead = (scores > scores[at]) | ((scores == scores[at]) & before)
    ranks = np.bincount(pool.mention[ahead], minlength=len(gold)) + 1
    return np.where(row_of >= 0, ranks, 0)


def validation_pool(
    entities: Path, mentions: Path, match: str, runs: Sequence[Path]
) -> tuple[Pool, np.ndarray]:
    """The candidates of validation runs side by side, and the (mentions,) gold candidates."""
    collection = read_collection(entities, mentions, "val", match)
    gold = collection.candidate_of[collection.offsets + collection.gold]
    return pool_runs(runs, collection), gold


def choose(
    name: str, values: Sequence[float], ranks: Iterable[np.ndarray], cutoff: int
) -> dict[str, Any]:
    """The value with the most hits at ``cutoff``; if equal, the one with more hits at 1.

    If that does not decide either, the first of the values is taken. ``ranks``, (mentions,) for
    each value, are of each mention's gold candidate, from 1; 0 if it is not found. Returns the
    value under ``name``; ``cutoff``, ``mentions`` and, under ``tried``, each value with its hits at
    the cutoff and at 1.

    >>> ranks = np.array([2, 0]), np.array([1, 0]), np.array([1, 3])
    >>> choose("weight", [0.0, 0.5, 1.0], ranks, cutoff=2)["weight"]
    0.5
    """
    tried = []
    for value, found in zip(values, ranks, strict=True):
        hits, first = (int(((found >= 1) & (found <= k)).sum()) for k in (cutoff, 1))
        tried.append({name: value, "hits": hits, "hits_at_1": first})
    best = max(tried, key=lambda trial: (trial["hits"], trial["hits_at_1"]))  # the first of equals
    return {name: best[name], "cutoff": cutoff, "mentions": len(found), "tried": tried}


def write_fused(path: Path, collection: Collection, pool: Pool, scores: np.ndarray, k: int) -> None:
    """Write the best ``k`` candidates of each mention as the fused run."""
    ranks = ranks_by(pool, scores)
    rows = np.lexsort((ranks, pool.mention))
    rows = rows[ranks[rows] <= k]
    mention, entity = pool.mention[rows], pool.entity[rows]
    write_run(
        path,
        pa.array(collection.mention_ids, pa.string()).take(pa.array(mention)),
        collection.worlds.take(pa.array(mention)),
        ranks[rows],
        entity,
        collection.titles.take(pa.array(collection.offsets[mention] + entity)),
        scores[rows],
        pool.layer[rows],
        pool.first[rows],
        pool.last[rows],
    )
