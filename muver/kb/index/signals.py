"""The signals of an index: names, words and vectors, each of which scores every entity in scope.

BM25's score is Lucene's, as in :mod:`muver.retriever.retrieval.kinds.bm25`. Each part keeps its
words; a change moves the number of entities, their mean length and how many have a word, and with
them all scores, so none of it is stored.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from muver.kb.index.index_settings import Words as Settings
from muver.kb.index.lookup import folded, keys_of
from muver.kb.index.scope import Scope
from muver.retriever.answers import Mention
from muver.retriever.corpus.texts import split
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.blocks import Block
from muver.retriever.retrieval.exact import exactly, similarity, slack

EQUAL_NAME = 10.0  # its score: more than all else together, by the default weights
LONGEST = 128  # words of a query, as many as the usual model reads word pieces of a mention


class Signal(ABC):
    """A score for each entity in scope.

    Where scores are ``final``, they count as they were computed. Others may be moved by rounding,
    which differs between batches and parts: :meth:`slack` says how far, and :meth:`exactly`
    computes those of the entities again that are near enough to the best.
    """

    final = True

    def scores(self, mentions_at: slice) -> np.ndarray:
        """Of some of the mentions: (mentions, entities) float32."""
        self._first, self._computed = mentions_at.start, self._scores(mentions_at)
        return self._computed

    @abstractmethod
    def _scores(self, mentions_at: slice) -> np.ndarray:
        """The same, computed anew."""

    def slack(self, mentions_at: slice) -> np.ndarray | float:
        """(mentions,) more than twice what rounding can move a score by."""
        return 0.0

    def exactly(self, mention: int, places: np.ndarray) -> np.ndarray:
        """(places,) float32 scores that are the same in any batch and part, of a mention whose
        scores were computed last if they are ``final``.
        """
        return self._computed[mention - self._first, places]


class Exact(Signal):
    """Whether a mention equals a name."""

    def __init__(self, scope: Scope, mentions: Sequence[Mention]):
        self._scope, self._names = scope, keys_of(folded(m.text) for m in mentions)

    def _scores(self, mentions_at: slice) -> np.ndarray:
        wanted = self._names[mentions_at]
        scores = np.zeros((len(wanted), len(self._scope)), np.float32)
        for (part, rows), place in zip(self._scope.parts, self._scope.places, strict=True):
            starts, names = part.names()
            starts = starts[rows.start : rows.stop + 1]
            names = names[starts[0] : starts[-1]]
            for n in np.flatnonzero(np.isin(names, wanted)):
                row = np.searchsorted(starts, starts[0] + n, "right") - 1
                scores[wanted == names[n], place.start + row] = EQUAL_NAME
        return scores


class Characters(Signal):
    """Cosines of the letters of mentions and names."""

    def __init__(self, scope: Scope, mentions: Sequence[Mention]):
        self._letters, self._texts = scope.letters, [m.text for m in mentions]

    def _scores(self, mentions_at: slice) -> np.ndarray:
        return self._letters.scores(self._texts[mentions_at])


@dataclass
class Vectors(Signal):
    """Similarities of (mentions, d) float32 ``queries`` and a column of vectors, of which
    ``length`` is that of the longest; an entity's are put together by an ``aggregate``, of which
    only the ``k`` best of a mention count.
    """

    scope: Scope
    column: str
    queries: np.ndarray
    length: float
    aggregate: Aggregate
    metric: str = "dot"
    scale: float = 1.0
    k: int | None = None

    def __post_init__(self) -> None:
        self.k = self.k or len(self.scope)
        self.final = not self.aggregate.alone  # then a score takes the views of all entities
        self._best = np.full(len(self.queries), -np.inf, np.float32)

    def _scores(self, mentions_at: slice) -> np.ndarray:
        scores = np.empty((len(self.queries[mentions_at]), len(self.scope)), np.float32)
        blocks = self._products(mentions_at)
        if self.aggregate.alone:
            for place, block in zip(self.scope.places, blocks, strict=True):
                scores[:, place] = self.aggregate.scores(Block.of(*block), self.k)
        elif len(self.scope):
            products, starts = zip(*blocks, strict=True)
            firsts = np.cumsum([0, *(p.shape[1] for p in products[:-1])])
            starts = [begins + first for begins, first in zip(starts, firsts, strict=True)]
            whole = Block.of(np.concatenate(products, axis=1), np.concatenate(starts))
            scores[:] = self.aggregate.scores(whole, self.k)
        scores /= np.float32(self.scale)
        return scores

    def _products(self, mentions_at: slice) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Of each part (mentions, views) similarities, and where the views of each entity begin."""
        queries, best = self.queries[mentions_at], self._best[mentions_at]
        for part, rows in self.scope.parts:
            starts, vectors = part.vectors(self.column)
            first, last = starts[rows.start], starts[rows.stop]
            products = similarity(queries, vectors[first:last], self.metric)
            np.maximum(best, products.max(axis=1, initial=-np.inf), out=best)
            yield products, starts[rows] - first

    def slack(self, mentions_at: slice) -> np.ndarray | float:
        if self.final:
            return 0.0
        best = self._best[mentions_at]
        return slack(self.queries[mentions_at], self.length, self.metric, best) / self.scale

    def exactly(self, mention: int, places: np.ndarray) -> np.ndarray:
        if self.final:
            return super().exactly(mention, places)
        vectors, starts = self.scope.vectors(self.column, places.tolist())
        similarities = exactly(vectors, self.queries[mention][None], self.metric)
        scores = self.aggregate.scores(Block.of(similarities, starts), len(starts))[0]
        return scores / np.float32(self.scale)


class Words(Signal):
    """BM25 of the entities in scope, as shares of each mention's best.

    What a word adds is kept, as the mentions of a request often share their context.
    """

    def __init__(self, scope: Scope, mentions: Sequence[Mention], settings: Settings):
        self._scope, self._settings = scope, settings
        self._queries = queries(mentions, settings)
        lengths = [
            part.batch.column("length_in_words").to_numpy()[rows] for part, rows in scope.parts
        ]
        self._lengths = np.concatenate([np.zeros(0, np.int32), *lengths])
        self._entities = int(scope.live.sum())
        total = int(self._lengths[scope.live].sum())
        self._mean = total / self._entities if total else 1.0
        self._added: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def _scores(self, mentions_at: slice) -> np.ndarray:
        shares = np.zeros((mentions_at.stop - mentions_at.start, len(self._scope)), np.float32)
        for scores, query in zip(shares, self._queries[mentions_at], strict=True):
            counts, sums = Counter(query), np.zeros(len(self._scope))
            self._look_up([word for word in counts if word not in self._added])
            for word, times in counts.items():
                places, added = self._added[word]
                sums[places] += times * added
            if best := sums.max(initial=0):
                scores[:] = sums / best
        return shares

    def _look_up(self, words: Sequence[str]) -> None:
        """Keep the places of the entities that have each word, and what it adds to their scores."""
        scope, k1, b = self._scope, self._settings.k1, self._settings.b
        keys = keys_of(words)
        there = [part.having(keys) for part, _ in scope.parts]
        for n, word in enumerate(words):
            pairs = [(np.zeros(0, np.int64), np.zeros(0, np.uint16))]
            for (_, rows), place, of_part in zip(scope.parts, scope.places, there, strict=True):
                having, counts = of_part[n]
                inside = slice(*np.searchsorted(having, [rows.start, rows.stop]))
                pairs.append((having[inside] + (place.start - rows.start), counts[inside]))
            places, counts = map(np.concatenate, zip(*pairs, strict=True))
            live = scope.live[places]
            places, counts = places[live], counts[live]
            weight = np.log1p((self._entities - len(places) + 0.5) / (len(places) + 0.5))
            rate = 1 - b + b * self._lengths[places] / self._mean
            self._added[word] = places, weight * counts / (counts + k1 * rate)


def queries(mentions: Sequence[Mention], settings: Settings) -> list[list[str]]:
    """The words that are looked for: those of each mention, or of its context as well.

    No more than :data:`LONGEST`, the nearest ones on both sides: each takes as long as any other.
    """
    of_mentions = [words[:LONGEST] for words in split([mention.text for mention in mentions])]
    if settings.query == "mention":
        return of_mentions
    sides = (split([getattr(mention, side) for mention in mentions]) for side in ("left", "right"))
    queries = []
    for words, left, right in zip(of_mentions, *sides, strict=True):
        room = LONGEST - len(words)
        after = right[: max(room // 2, room - len(left))]
        before = left[max(len(left) - room + len(after), 0) :]
        queries.append([*before, *words, *after])
    return queries
