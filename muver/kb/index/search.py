"""Exact search of parts; answers do not depend on how entities are spread over them.

A matrix product rounds differently by the shape of its matrices. So products only say which
entities may be among the best. These are compared by sums that are always taken in the same order;
equal scores are ordered by world and id.
"""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muver.kb.index.segments import Part
from muver.kb.index.settings import Words
from muver.kb.index.words import Scorer
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.blocks import Block, top_columns
from muver.retriever.retrieval.exact import rank
from muver.retriever.retrieval.pool import normalise, weighted

MEMORY_MB = 256  # of the products held at a time
SPARE = 16  # candidates beyond k that a first search finds
EPSILON = float(np.finfo(np.float32).eps)


class Hit(NamedTuple):
    """A ranked entity: its score, the number of its part, its row there, and the view that won.

    ``view`` counts within the entity; -1 where words alone decided.
    """

    score: float
    part: int
    row: int
    view: int


def by_views(
    parts: Sequence[Part],
    world: str | None,
    mentions: np.ndarray,
    k: int,
    aggregate: Aggregate,
    metric: str,
) -> list[list[Hit]]:
    """The best ``k`` entities of each of (mentions, d) float32 vectors by their views, of a world
    or of all; all entities if there are fewer.

    The retriever's search finds more than ``k``: for a mention where the last of these may still be
    among the best, it finds twice as many. ``metric`` is as of
    :func:`muver.retriever.retrieval.exact.rank`.
    """
    firsts = np.cumsum([0, *map(len, parts)])
    blocks = [part.block(world, first) for part, first in zip(parts, firsts[:-1], strict=True)]
    blocks = [block for block in blocks if block.live.any()]
    entities = sum(len(block.starts) for block in blocks)
    room = slack(mentions, longest(parts), metric)
    near: dict[int, list[int]] = {}  # rows of the mentions that an entity may be among the best of
    pending, deep = np.arange(len(mentions)), min(k + SPARE, entities)
    while blocks and len(pending):
        ranking = rank(mentions[pending], blocks, deep, aggregate, MEMORY_MB, metric)
        least = ranking.scores[:, min(k, deep) - 1] - room[pending]
        possible = (ranking.scores >= least[:, None]) & (ranking.entities >= 0)
        more = possible[:, -1] & (deep < entities)
        for place in np.flatnonzero(~more):
            for number in ranking.entities[place][possible[place]].tolist():
                near.setdefault(number, []).append(int(pending[place]))
        pending, deep = pending[more], min(2 * deep, entities)
    found: list[list[Hit]] = [[] for _ in mentions]
    for number, asked in near.items():
        part = int(np.searchsorted(firsts, number, side="right")) - 1
        row = number - int(firsts[part])
        vectors = parts[part].vectors_of(row)
        scores, views = decided(vectors, mentions[asked], aggregate, metric)
        for one, score, view in zip(asked, scores.tolist(), views.tolist(), strict=True):
            found[one].append(Hit(score, part, row, view))
    return [_best(parts, hits, k) for hits in found]


def by_words(
    parts: Sequence[Part],
    world: str | None,
    queries: Sequence[Sequence[str]],
    k: int,
    settings: Words,
) -> list[list[Hit]]:
    """The best ``k`` entities of each query by BM25, of those that have any of its words."""
    scorer = Scorer(parts, world, settings)
    answers = []
    for query in queries:
        found = []
        for number, scores in enumerate(scorer.scores(query)):
            scores = scores.astype(np.float32)
            best = top_columns(scores[None], min(k, len(scores)))[0]
            best = best[scores[best] > 0]
            some = zip(scores[best].tolist(), best.tolist(), strict=True)
            found += [Hit(score, number, row, -1) for score, row in some]
        answers.append(_best(parts, found, k))
    return answers


def fused(
    parts: Sequence[Part], by_view: Sequence[Hit], by_word: Sequence[Hit], weight: float, k: int
) -> list[Hit]:
    """One ranking of two, by a weighted sum of their scores, each brought to 0..1; ``weight`` is
    of the words' scores.
    """
    rows = {(hit.part, hit.row): hit.view for hit in [*by_word, *by_view]}
    scores = np.zeros((2, len(rows)))
    places = {row: place for place, row in enumerate(rows)}
    for number, hits in enumerate((by_word, by_view)):
        if hits:
            own = normalise(np.array([hit.score for hit in hits]), np.array([0]))
            scores[number, [places[hit.part, hit.row] for hit in hits]] = own
    sums = weighted(scores, weight).tolist()
    hits = [Hit(score, *row, view) for score, (row, view) in zip(sums, rows.items(), strict=True)]
    return _best(parts, hits, k)


def decided(
    vectors: np.ndarray, mentions: np.ndarray, aggregate: Aggregate, metric: str
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of an entity for (mentions, d) vectors, the same in any batch, and the views that won.

    ``vectors`` has the (views, d) float32 of the entity's views. Returns (mentions,) float32
    scores and (mentions,) int64 views.
    """
    exact = exactly(vectors, mentions, metric)
    scores = aggregate.scores(Block.of(exact, np.zeros(1, np.int64)), 1)
    return scores[:, 0], exact.argmax(axis=1)


def exactly(vectors: np.ndarray, mentions: np.ndarray, metric: str) -> np.ndarray:
    """(mentions, views) float32 similarities, each by a sum of its own in double precision."""
    views, mentions = vectors.astype(np.float64), mentions.astype(np.float64)
    if metric == "l2":
        squares = [np.square(views - one).sum(axis=1) for one in mentions]
        return -np.sqrt(squares).astype(np.float32)
    products = np.vecdot(views[:, None], mentions[None])
    return np.ascontiguousarray(products.T, np.float32)


def longest(parts: Sequence[Part]) -> float:
    """Length of the longest vector of any view."""
    lengths = (part.batch.column("length").to_numpy() for part in parts)
    return max((float(own.max(initial=0)) for own in lengths), default=0.0)


def slack(mentions: np.ndarray, length: float, metric: str) -> np.ndarray:
    """(mentions,) more than twice what rounding can move a score of (mentions, d) vectors by;
    ``length`` is that of the longest vector of a view.
    """
    lengths = np.linalg.norm(mentions, axis=1)
    terms = mentions.shape[1] + 16
    if metric == "l2":  # the root of a rounded square
        return 2 * np.sqrt(terms * EPSILON) * (lengths + length)
    return 2 * terms * EPSILON * lengths * length


def _best(parts: Sequence[Part], hits: Sequence[Hit], k: int) -> list[Hit]:
    """The best ``k``; equal scores are ordered by world and id."""

    def place(hit: Hit) -> tuple[float, str, str]:
        batch = parts[hit.part].batch
        world, id = (batch.column(name)[hit.row].as_py() for name in ("world", "id"))
        return -hit.score, world, id

    return heapq.nsmallest(k, hits, key=place)
