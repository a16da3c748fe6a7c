"""What moved between two runs, and whether it moved for more than a tie."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from muver.runs.run import block_starts, ranked_mentions

TOLERANCE = 1e-5  # of the larger score: some last digits of a float32 sum


def blocks(table: pa.Table, depth: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Entities and scores of each mention, best first, each (at most ``depth``,)."""
    starts = block_starts(table)
    entities = table["entity"].to_numpy()
    scores = table["score"].to_numpy().astype(np.float64)
    stops = np.r_[starts[1:], len(table)].tolist()
    return {
        mention: (
            entities[start : min(stop, start + depth)],
            scores[start : min(stop, start + depth)],
        )
        for mention, start, stop in zip(ranked_mentions(table), starts.tolist(), stops, strict=True)
    }


def near(first: Any, second: Any, tolerance: float) -> Any:
    """Whether scores are equal but for ``tolerance`` of the larger one's size."""
    larger = np.maximum(np.abs(first), np.abs(second))
    return np.abs(np.subtract(first, second)) <= tolerance * larger


def compare_lists(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray], tolerance: float
) -> str:
    """How two ranked lists of a mention differ: "same", "ties" or "changed".

    Returns
    -------
    "ties" if every pair that stands in another order is near in both runs, and every candidate of
    one list alone is near the ends of both, so that the cut fell between equals.
    """
    (ours, own), (theirs, other) = first, second
    if np.array_equal(ours, theirs):
        return "same"
    common, a, b = np.intersect1d(ours, theirs, return_indices=True)
    for scores, kept in ((own, a), (other, b)):
        alone = np.setdiff1d(np.arange(len(scores)), kept)
        ends = np.array([own[-1], other[-1]])
        if len(alone) and not near(scores[alone][:, None], ends, tolerance).all():
            return "changed"
    order = np.argsort(a)
    a, b = a[order], b[order]
    swapped = np.triu(b[:, None] > b[None, :], 1)
    one, two = np.nonzero(swapped)
    tied = near(own[a[one]], own[a[two]], tolerance) & near(other[b[one]], other[b[two]], tolerance)
    return "ties" if tied.all() else "changed"


def by_ties(
    first: tuple[np.ndarray, np.ndarray],
    second: tuple[np.ndarray, np.ndarray],
    ranks: tuple[int, int],
    tolerance: float,
) -> bool:
    """Whether the gold entity's rank differs only because of candidates of nearly its score.

    Parameters
    ----------
    ranks
        Of the gold entity in either list, from 1; 0 if it is not there.
    """
    lists, places = (first, second), [rank - 1 for rank in ranks]
    if 0 in ranks:
        which = 0 if ranks[0] else 1
        scores = lists[which][1]
        ends = np.array([first[1][-1], second[1][-1]])
        return bool(near(scores[places[which]], ends, tolerance).all())
    if first[0][places[0]] != second[0][places[1]]:
        return False  # another entity of the gold's title was found first
    ahead = [
        set(entities[:place].tolist()) for (entities, _), place in zip(lists, places, strict=True)
    ]
    where = [{entity: n for n, entity in enumerate(entities.tolist())} for entities, _ in lists]
    for entity in ahead[0] ^ ahead[1]:
        for (_, scores), place, own in zip(lists, places, where, strict=True):
            # A candidate that a list does not have scores at most what its last one does.
            if not near(scores[own.get(entity, -1)], scores[place], tolerance):
                return False
    return True


def compare_gold(
    mentions: Sequence[str],
    ranks: tuple[np.ndarray, np.ndarray],
    lists: tuple[Mapping[str, tuple], Mapping[str, tuple]],
    depth: int,
    tolerance: float,
) -> list[dict[str, Any]]:
    """Every mention whose gold entity moved, the largest move first.

    Parameters
    ----------
    mentions
        Those whose gold is known.
    ranks
        Of the gold in each run, (mentions,); 0 where it is not found.
    lists
        From :func:`blocks`, of the same depth.
    depth
        Of the shallower run: what the deeper one finds below counts as not found.

    Returns
    -------
    Dicts of ``mention``, ``first`` and ``second`` (ranks; None: not found), ``kind`` ("up",
    "down", "found", "lost"; of the second run against the first) and ``ties`` (whether scores that
    are nearly equal explain it).
    """
    moved = []
    for mention, one, two in zip(mentions, *(r.tolist() for r in ranks), strict=True):
        one, two = (rank if rank <= depth else 0 for rank in (one, two))
        if one == two:
            continue
        kind = "found" if not one else "lost" if not two else "up" if two < one else "down"
        ties = by_ties(lists[0][mention], lists[1][mention], (one, two), tolerance)
        moved.append(
            {
                "mention": mention,
                "first": one or None,
                "second": two or None,
                "kind": kind,
                "ties": ties,
            }
        )
    moved.sort(key=lambda move: (move["ties"], -_distance(move, depth)))
    return moved


def count_moves(moved: Sequence[Mapping[str, Any]], mentions: int) -> dict[str, int]:
    """How many mentions of each kind; ``ties``: how many of the moved ones only by ties."""
    kinds = Counter(move["kind"] for move in moved)
    counts = {kind: kinds[kind] for kind in ("up", "down", "found", "lost")}
    ties = sum(move["ties"] for move in moved)
    return {"same": mentions - len(moved), **counts, "ties": ties}


def _distance(move: Mapping[str, Any], depth: int) -> int:
    """Places moved; not found counts as one below the end."""
    one, two = (move[which] or depth + 1 for which in ("first", "second"))
    return abs(one - two)
