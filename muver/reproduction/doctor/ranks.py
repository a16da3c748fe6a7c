"""What changed between two runs' lists and ranks of gold entities."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from muver.reproduction.doctor.entities import Entities, numbered
from muver.reproduction.doctor.runs import Run
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.runs.run import best_ranks, block_starts, mentions_of_rows, ranked_mentions
from muver.retriever.runs.trec_reading import read_qrels

Ranked = tuple[np.ndarray, np.ndarray]  # entities and scores of a mention, best first
Gold = dict[str, set[Any]]
Ranks = dict[str, int]  # of the gold entity by mention, from 1; 0: not there


def lists_of(table: pa.Table, depth: int) -> dict[str, Ranked]:
    """Entities and scores of each mention, best first, each (at most ``depth``,)."""
    starts = block_starts(table)
    entities = np.split(table["entity"].to_numpy(), starts[1:])
    scores = np.split(table["score"].to_numpy().astype(np.float64), starts[1:])
    return {
        mention: (own[:depth], values[:depth])
        for mention, own, values in zip(ranked_mentions(table), entities, scores, strict=True)
    }


def compare_lists(first: Ranked, second: Ranked, tolerance: float) -> str:
    """How two ranked lists of a mention differ: "same", "ties" or "changed".

    Returns
    -------
    "ties" if the order differs while every candidate has nearly the same score in both lists; one
    that a list lacks may have the score of its last, as the cut can fall between equals.
    """
    if np.array_equal(first[0], second[0]):
        return "same"
    own, other = (dict(zip(*one, strict=True)) for one in (first, second))
    scores = [
        (own.get(entity, first[1][-1]), other.get(entity, second[1][-1]))
        for entity in {**own, **other}
    ]
    apart, larger = np.ptp(scores, axis=1), np.abs(scores).max(axis=1)
    return "ties" if (apart <= tolerance * larger).all() else "changed"


def compare_gold(first: Ranks, second: Ranks, depth: int) -> list[dict[str, Any]]:
    """Every mention whose gold entity moved, the greatest move first.

    Parameters
    ----------
    first, second
        From :func:`gold_ranks`, of the same mentions.
    depth
        Of the shallower run: what the deeper one finds below counts as not found.

    Returns
    -------
    Dicts of ``mention``, ``first`` and ``second`` (ranks; None: not found) and ``kind`` ("up",
    "down", "found", "lost"; of the second run against the first).
    """
    moved = []
    for mention in first:
        one, two = (rank if (rank := own[mention]) <= depth else 0 for own in (first, second))
        if one != two:
            kind = "found" if not one else "lost" if not two else "up" if two < one else "down"
            ranks = {"first": one or None, "second": two or None}
            moved.append({"mention": mention, **ranks, "kind": kind})

    def distance(move: dict[str, Any]) -> int:
        """Places moved; not found counts as one below the end."""
        one, two = (move[which] or depth + 1 for which in ("first", "second"))
        return abs(one - two)

    return sorted(moved, key=distance, reverse=True)


def read_gold(
    qrels: Path | None, mentions: Path | None, entities: Entities | None, split: str | None
) -> Gold:
    """The right candidates of each mention: sets of (world, entity).

    Of names, where only a foreign qrels file knows them; empty without either file.
    """
    if mentions is not None:
        table = read_mentions(mentions, split)
        columns = (table[name].to_pylist() for name in ("mention_id", "world", "gold"))
        return {mention: {(world, gold)} for mention, world, gold in zip(*columns, strict=True)}
    found: Gold = {}
    for mention, relevant in read_qrels(qrels).items() if qrels else ():
        known = [numbered(name, entities.titles if entities else None) for name in relevant]
        if entities is not None and None in known:
            known = [entities.documents.get(name) for name in relevant]
        found[unquote(mention)] = set(relevant if None in known else known)
    return found


def gold_ranks(run: Run, gold: Gold, entities: Entities | None, match: str) -> Ranks:
    """Rank of the first right candidate of each mention whose gold is known; 0 if not there."""
    table, ids = run.table, run.mentions
    right = {mention: set(gold[mention]) for mention in ids if mention in gold}
    if match == "title" and entities is not None:
        for wanted in right.values():
            known = [one for one in wanted if isinstance(one, tuple)]
            wanted |= {entities.titles[w][n] for w, n in known if w in entities.titles}
    columns = (table[name].to_pylist() for name in ("mention_id", "world", "entity", "title"))
    hits = [
        mention in right and not right[mention].isdisjoint(((world, entity), title))
        for mention, world, entity, title in zip(*columns, strict=True)
    ]
    ranks = best_ranks(table, mentions_of_rows(table, ids), np.array(hits, dtype=bool), len(ids))
    return {
        mention: rank for mention, rank in zip(ids, ranks.tolist(), strict=True) if mention in right
    }
