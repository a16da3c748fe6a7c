"""What changed between two runs' lists and ranks of gold entities."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from muver.reproduction.doctor.entities import Entities, Entity, numbered
from muver.reproduction.doctor.runs import Ranked, Run
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.runs.trec import read_qrels

TOLERANCE = 1e-5  # of the larger score: some last digits of a float32 sum
Gold = dict[str, set[Entity | str]]  # names where only a foreign file knows them
Ranks = dict[str, int]  # of the gold entity by mention, from 1; 0: not there


def compare_lists(first: Ranked, second: Ranked, depth: int) -> str:
    """How two ranked lists of a mention differ down to a depth: "same", "ties" or "changed".

    "ties" if the order differs while every candidate has nearly the same score in both lists; one
    that a list lacks may have the score of its last, as the cut can fall between equals.
    """
    if first.names[:depth] == second.names[:depth]:
        return "same"
    a, b = (dict(zip(one.names[:depth], one.scores, strict=False)) for one in (first, second))
    ends = [one.scores[:depth][-1] for one in (first, second)]
    scores = [(a.get(name, ends[0]), b.get(name, ends[1])) for name in {**a, **b}]
    apart, larger = np.ptp(scores, axis=1), np.abs(scores).max(axis=1)
    return "ties" if (apart <= TOLERANCE * larger).all() else "changed"


def compare_gold(first: Ranks, second: Ranks, depth: int) -> list[dict[str, Any]]:
    """Every mention whose gold entity moved, the greatest move first.

    ``depth`` is that of the shallower run: what the deeper one finds below counts as not found, and
    what is not found counts as one place below the end.

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
            move = {"mention": mention, "first": one or None, "second": two or None, "kind": kind}
            moved.append((abs((one or depth + 1) - (two or depth + 1)), move))
    return [move for _, move in sorted(moved, key=lambda pair: pair[0], reverse=True)]


def read_gold(
    qrels: Path | None, mentions: Path | None, entities: Entities | None, split: str | None
) -> Gold:
    """The right candidates of each mention; empty without either file."""
    if mentions is not None:
        table = read_mentions(mentions, split)
        columns = (table[name].to_pylist() for name in ("mention_id", "world", "gold"))
        return {mention: {(world, gold)} for mention, world, gold in zip(*columns, strict=True)}
    found: Gold = {}
    for mention, relevant in read_qrels(qrels).items() if qrels else ():
        known = [numbered(name) for name in relevant]
        if entities is not None and not set(known) <= entities.titles.keys():
            known = [entities.documents.get(name) for name in relevant]
        found[unquote(mention)] = set(relevant if None in known else known)
    return found


def gold_ranks(run: Run, gold: Gold, entities: Entities | None, match: str) -> Ranks:
    """Rank of the first right candidate of each of these mentions; 0 if not there."""
    by_title = match == "title" and entities is not None
    ranks = {}
    for mention, right in gold.items():
        own = run.ranked[mention]
        titles = {entities.titles.get(one) for one in right} - {None} if by_title else set()
        named = enumerate(zip(own.names, own.titles, strict=True), start=1)
        hits = (rank for rank, (name, title) in named if name in right or title in titles)
        ranks[mention] = next(hits, 0)
    return ranks
