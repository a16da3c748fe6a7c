"""What changed between two runs' lists and ranks of gold entities, and whether only by ties."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from muver.corpus.schema import read_mentions
from muver.doctor.entities import Entities, numbered
from muver.doctor.runs import Run
from muver.runs.run import best_ranks, block_starts, mentions_of_rows, ranked_mentions
from muver.runs.trec_reading import read_qrels

Ranked = tuple[np.ndarray, np.ndarray]  # entities and scores of a mention, best first
Gold = dict[str, set[Any]]


def lists_of(table: pa.Table, depth: int) -> dict[str, Ranked]:
    """Entities and scores of each mention, best first, each (at most ``depth``,)."""
    starts = block_starts(table)
    entities = np.split(table["entity"].to_numpy(), starts[1:])
    scores = np.split(table["score"].to_numpy().astype(np.float64), starts[1:])
    return {
        mention: (own[:depth], values[:depth])
        for mention, own, values in zip(ranked_mentions(table), entities, scores, strict=True)
    }


def near(first: Any, second: Any, tolerance: float) -> Any:
    """Whether scores are equal but for ``tolerance`` of the larger one's size."""
    larger = np.maximum(np.abs(first), np.abs(second))
    return np.abs(np.subtract(first, second)) <= tolerance * larger


def compare_lists(first: Ranked, second: Ranked, tolerance: float) -> str:
    """How two ranked lists of a mention differ: "same", "ties" or "changed".

    Returns
    -------
    "ties" if every pair that stands in another order is near in both runs, and every candidate of
    one list alone is near the ends of both, so that the cut fell between equals.
    """
    (ours, own), (theirs, other) = first, second
    if np.array_equal(ours, theirs):
        return "same"
    _, a, b = np.intersect1d(ours, theirs, return_indices=True)
    ends = np.array([own[-1], other[-1]])
    for scores, common in ((own, a), (other, b)):
        alone = np.delete(scores, common)
        if not near(alone[:, None], ends, tolerance).all():
            return "changed"
    order = np.argsort(a)
    a, b = a[order], b[order]
    one, two = np.nonzero(np.triu(b[:, None] > b[None, :], 1))  # pairs in another order
    tied = near(own[a[one]], own[a[two]], tolerance) & near(other[b[one]], other[b[two]], tolerance)
    return "ties" if tied.all() else "changed"


def by_ties(first: Ranked, second: Ranked, ranks: tuple[int, int], tolerance: float) -> bool:
    """Whether the gold entity's rank differs only because of candidates of nearly its score.

    Parameters
    ----------
    ranks
        Of the gold entity in either list, from 1; 0 if it is not there.
    """
    lists, places = (first, second), [rank - 1 for rank in ranks]
    if 0 in ranks:
        which = 0 if ranks[0] else 1
        ends = np.array([first[1][-1], second[1][-1]])
        return bool(near(lists[which][1][places[which]], ends, tolerance).all())
    if first[0][places[0]] != second[0][places[1]]:
        return False  # another entity of the gold's title was found first
    ahead = [set(own[:place].tolist()) for (own, _), place in zip(lists, places, strict=True)]
    for (entities, scores), place in zip(lists, places, strict=True):
        where = {entity: n for n, entity in enumerate(entities.tolist())}
        # A candidate that a list does not have scores at most what its last one does.
        passed = scores[[where.get(entity, -1) for entity in ahead[0] ^ ahead[1]]]
        if not near(passed, scores[place], tolerance).all():
            return False
    return True


def compare_gold(
    mentions: Sequence[str],
    ranks: tuple[np.ndarray, np.ndarray],
    lists: tuple[Mapping[str, Ranked], Mapping[str, Ranked]],
    depth: int,
    tolerance: float,
) -> list[dict[str, Any]]:
    """Every mention whose gold entity moved, the largest move first and mere ties last.

    Parameters
    ----------
    mentions
        Those whose gold is known.
    ranks
        Of the gold in each run, (mentions,); 0 where it is not found.
    lists
        From :func:`lists_of`, of the same depth.
    depth
        Of the shallower run: what the deeper one finds below counts as not found.

    Returns
    -------
    Dicts of ``mention``, ``first`` and ``second`` (ranks; None: not found), ``kind`` ("up",
    "down", "found", "lost"; of the second run against the first) and ``ties`` (whether scores that
    are nearly equal explain it).
    """
    moved = []
    cut = (np.where(own <= depth, own, 0).tolist() for own in ranks)
    for mention, one, two in zip(mentions, *cut, strict=True):
        if one == two:
            continue
        kind = "found" if not one else "lost" if not two else "up" if two < one else "down"
        ties = by_ties(lists[0][mention], lists[1][mention], (one, two), tolerance)
        pair = {"first": one or None, "second": two or None}
        moved.append({"mention": mention, **pair, "kind": kind, "ties": ties})

    def distance(move: Mapping[str, Any]) -> int:
        """Places moved; not found counts as one below the end."""
        one, two = (move[which] or depth + 1 for which in ("first", "second"))
        return abs(one - two)

    return sorted(moved, key=lambda move: (move["ties"], -distance(move)))


def count_moves(moved: Sequence[Mapping[str, Any]], mentions: int) -> dict[str, int]:
    """How many mentions of each kind; ``ties``: how many of the moved ones only by ties."""
    kinds = Counter(move["kind"] for move in moved)
    counts = {kind: kinds[kind] for kind in ("up", "down", "found", "lost")}
    ties = sum(move["ties"] for move in moved)
    return {"same": mentions - len(moved), **counts, "ties": ties}


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


def gold_ranks(
    run: Run, gold: Gold, entities: Entities | None, match: str
) -> tuple[list[str], np.ndarray]:
    """Rank of the first right candidate of each mention whose gold is known.

    Returns
    -------
    The mentions, in the run's order, and (mentions,) ranks from 1; 0 where it is not there.
    """
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
    known = [place for place, mention in enumerate(ids) if mention in right]
    return [ids[place] for place in known], ranks[known]
