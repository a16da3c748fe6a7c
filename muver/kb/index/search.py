"""Exact search of parts; answers do not depend on how entities are spread over them.

A matrix product rounds differently by the shape of its matrices. So products only say which
entities may be among the best. These are compared by sums that are always taken in the same order;
equal scores are ordered by world and id.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from muver.kb.index.segments import Part
from muver.kb.index.settings import Words
from muver.kb.index.words import Scorer
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.blocks import Block, top_columns, winning_views
from muver.retriever.retrieval.exact import similarity
from muver.retriever.retrieval.fusion import weighted
from muver.retriever.retrieval.pool import normalise

MEMORY_MB = 256  # of the products held at a time
EPSILON = float(np.finfo(np.float32).eps)


class Hit(NamedTuple):
    """A ranked entity: its score, the number of its part, its row there, and the view that won.

    ``view`` counts within the entity; -1 where words alone decided.
    """

    score: float
    part: int
    row: int
    view: int


class _Possible(NamedTuple):
    """Entities that may be among a mention's best, by part: (some,) int64 each."""

    scores: np.ndarray
    parts: np.ndarray
    rows: np.ndarray

    def cut(self, k: int, slack: float) -> "_Possible":
        """Those that are no more than ``slack`` below the k-th."""
        if len(self.scores) <= k:
            return self
        least = -np.partition(-self.scores, k - 1)[k - 1] - slack
        kept = self.scores >= least
        return _Possible(*(column[kept] for column in self))


NONE = _Possible(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


def by_views(
    parts: Sequence[Part],
    world: str | None,
    mentions: np.ndarray,
    k: int,
    aggregate: Aggregate,
    metric: str,
) -> list[list[Hit]]:
    """The best ``k`` entities of each mention by their views, or all if there are fewer.

    Parameters
    ----------
    world
        None: of all worlds.
    mentions : (mentions, d) float32
    metric
        As :func:`muver.retriever.retrieval.exact.rank` takes it.
    """
    found = [NONE] * len(mentions)
    room = slack(mentions, longest(parts), metric)
    for number, part in enumerate(parts):
        rows = part.rows(world)
        if not part.live[rows].any():
            continue
        for span, scores in _products(part, rows, mentions, aggregate, metric):
            for one, own in enumerate(scores, start=span.start):
                live = np.flatnonzero(own > -np.inf)
                new = _Possible(own[live], np.full(len(live), number), live + rows.start)
                joined = zip(found[one], new.cut(k, room[one]), strict=True)
                found[one] = _Possible(*map(np.concatenate, joined))
    return [
        _decide(parts, own.cut(k, width), mention, k, aggregate, metric)
        for own, width, mention in zip(found, room, mentions, strict=True)
    ]


def by_words(
    parts: Sequence[Part],
    world: str | None,
    queries: Sequence[Sequence[str]],
    k: int,
    settings: Words,
) -> list[list[Hit]]:
    """The best ``k`` entities of each query by BM25, those without any of its words last."""
    scorer = Scorer(parts, world, settings)
    answers = []
    for query in queries:
        found = NONE
        for number, scores in enumerate(scorer.scores(query)):
            scores = scores.astype(np.float32)
            best = top_columns(scores[None], min(k, len(scores)))[0]
            best = best[scores[best] > -np.inf]
            new = _Possible(scores[best], np.full(len(best), number), best)
            found = _Possible(*map(np.concatenate, zip(found, new, strict=True)))
        found = found.cut(k, 0.0)
        answers.append(_ranked(parts, found, np.full(len(found.rows), -1), k))
    return answers


def fused(
    parts: Sequence[Part], by_view: Sequence[Hit], by_word: Sequence[Hit], weight: float, k: int
) -> list[Hit]:
    """One ranking of two, by a weighted sum of their scores, each brought to 0..1.

    Parameters
    ----------
    weight
        Of the words' scores.
    """
    rows = {(hit.part, hit.row): hit.view for hit in [*by_word, *by_view]}
    scores = np.zeros((2, len(rows)))
    places = {row: place for place, row in enumerate(rows)}
    for number, hits in enumerate((by_word, by_view)):
        if hits:
            own = normalise(np.array([hit.score for hit in hits]), np.array([0]))
            scores[number, [places[hit.part, hit.row] for hit in hits]] = own
    part, row = np.array(list(rows), dtype=np.int64).reshape(-1, 2).T
    both = _Possible(weighted(scores, weight), part, row)
    return _ranked(parts, both, np.array(list(rows.values()), dtype=np.int64), k)


def decided(
    vectors: Sequence[np.ndarray], mention: np.ndarray, aggregate: Aggregate, metric: str
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of some entities for a mention, the same in any batch, and the views that won.

    Parameters
    ----------
    vectors : (views, d) float32 each
        Of each entity's views; at least one entity.
    mention : (d,) float32

    Returns
    -------
    (entities,) float32 scores, and (entities,) int64 views, counted within the entity.
    """
    exact = exactly(np.concatenate(vectors), mention, metric)
    starts = np.cumsum([0, *map(len, vectors[:-1])])
    block = Block.of(exact[None], starts)
    views = winning_views(block, np.arange(len(starts))[None])[0] - starts
    (scores,) = aggregate.scores(block, len(starts))
    return scores, views


def exactly(vectors: np.ndarray, mention: np.ndarray, metric: str) -> np.ndarray:
    """(views,) float32 similarities by sums in double precision, row by row."""
    mention = mention.astype(np.float64)
    if metric == "l2":
        squares = np.square(vectors - mention).sum(axis=1)
        return -np.sqrt(squares).astype(np.float32)
    return (vectors * mention).sum(axis=1).astype(np.float32)


def longest(parts: Sequence[Part]) -> float:
    """Length of the longest vector of a view."""
    return max((float(part.lengths.max(initial=0)) for part in parts), default=0.0)


def slack(mentions: np.ndarray, length: float, metric: str) -> np.ndarray:
    """(mentions,) more than twice what rounding can move a score by.

    Parameters
    ----------
    mentions : (mentions, d) float32
    length
        Of the longest vector of a view.
    """
    lengths = np.linalg.norm(mentions, axis=1)
    terms = mentions.shape[1] + 16
    if metric == "l2":  # the root of a rounded square
        return 2 * np.sqrt(terms * EPSILON) * (lengths + length)
    return 2 * terms * EPSILON * lengths * length


def _products(
    part: Part, rows: slice, mentions: np.ndarray, aggregate: Aggregate, metric: str
) -> Iterator[tuple[slice, np.ndarray]]:
    """Roughly the scores of a part's entities, for some mentions at a time; -inf for those gone."""
    starts = part.starts[rows.start : rows.stop + 1].astype(np.int64)
    vectors, gone = part.vectors[starts[0] : starts[-1]], ~part.live[rows]
    step = max(MEMORY_MB * 2**20 // (12 * len(vectors) + 1), 1)
    for first in range(0, len(mentions), step):
        span = slice(first, first + step)
        products = similarity(mentions[span], vectors, metric)
        scores = aggregate.scores(Block.of(products, starts[:-1] - starts[0]), len(gone))
        scores = np.where(gone, -np.inf, scores)
        yield span, scores


def _decide(
    parts: Sequence[Part],
    possible: _Possible,
    mention: np.ndarray,
    k: int,
    aggregate: Aggregate,
    metric: str,
) -> list[Hit]:
    """The best of the possible entities, by sums in a fixed order."""
    if not len(possible.rows):
        return []
    vectors = [
        parts[number].vectors_of(row)
        for number, row in zip(possible.parts.tolist(), possible.rows.tolist(), strict=True)
    ]
    scores, views = decided(vectors, mention, aggregate, metric)
    return _ranked(parts, possible._replace(scores=scores), views, k)


def _ranked(parts: Sequence[Part], possible: _Possible, views: np.ndarray, k: int) -> list[Hit]:
    """The best ``k``; equal scores are ordered by world and id."""
    hits = [
        Hit(float(score), int(part), int(row), int(view))
        for score, part, row, view in zip(*possible, views, strict=True)
    ]

    def place(hit: Hit) -> tuple[float, str, str]:
        batch = parts[hit.part].batch
        world, id = (batch.column(name)[hit.row].as_py() for name in ("world", "id"))
        return -hit.score, world, id

    return sorted(hits, key=place)[:k]
