"""BM25 over parts: each part keeps its words; counts over all entities are made anew.

The score is Lucene's, as in :mod:`muver.retriever.retrieval.kinds.bm25`. A change moves the number
of entities, their mean length and how many have a word, and with them all scores, so none of it is
stored.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from muver.kb.index.asked import Asked, Sure
from muver.kb.index.entity import Entity
from muver.kb.index.index_settings import Words as Settings
from muver.kb.index.segments import WORDS
from muver.retriever.corpus.words import split
from muver.retriever.retrieval.answers import Mention

LONGEST = 128  # words of a query, as many as the usual model reads word pieces of a mention


def columns(entities: Sequence[Entity]) -> dict[str, pa.Array]:
    """The columns of a segment that BM25 needs: each entity's words and how often it has them."""
    counts = [Counter(own) for own in split([entity.text for entity in entities])]
    kinds = dict(WORDS)
    return {
        "words": pa.array([list(one) for one in counts], kinds["words"]),
        "counts": pa.array([list(one.values()) for one in counts], kinds["counts"]),
    }


class Words(Sure):
    """BM25 of the entities that are asked for, as shares of each mention's best.

    What a word adds is kept, as the mentions of a request often share their context.
    """

    def __init__(self, asked: Asked, mentions: Sequence[Mention], settings: Settings):
        self._settings, self._queries = settings, queries(mentions, settings)
        self._all = asked
        self._postings = [part.postings for part, _ in asked.parts]
        self._asked = [asked.live_in(part, rows) for part, rows in asked.parts]
        own = list(zip(self._postings, self._asked, strict=True))
        self._entities = sum(int(asked.sum()) for _, asked in own)
        total = sum(postings.lengths[asked].sum() for postings, asked in own)
        self._mean = total / self._entities if total else 1.0
        self._added: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}

    def scores(self, some: slice) -> np.ndarray:
        found = np.zeros((some.stop - some.start, len(self._all)), np.float32)
        for scores, query in zip(found, self._queries[some], strict=True):
            sums = self._sums(query)
            if best := max((float(one.max(initial=0)) for one in sums), default=0.0):
                for (_, rows), place, one in zip(
                    self._all.parts, self._all.places, sums, strict=True
                ):
                    scores[place] = one[rows] / best
        return found

    def _sums(self, query: Sequence[str]) -> list[np.ndarray]:
        """For each part the (entities,) float64 scores of a query's words; 0 if not asked."""
        found = [np.zeros(len(asked)) for asked in self._asked]
        for word, times in Counter(query).items():
            if word not in self._added:
                self._added[word] = self._adds(word)
            for scores, (rows, added) in zip(found, self._added[word], strict=True):
                scores[rows] += times * added
        return [np.where(asked, own, 0) for asked, own in zip(self._asked, found, strict=True)]

    def _adds(self, word: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each part the rows that have a word, and what it adds to their scores."""
        k1, b = self._settings.k1, self._settings.b
        found = [postings.having(word) for postings in self._postings]
        having = sum(
            int(asked[rows].sum()) for asked, (rows, _) in zip(self._asked, found, strict=True)
        )
        weight = np.log1p((self._entities - having + 0.5) / (having + 0.5))
        added = []
        for postings, (rows, counts) in zip(self._postings, found, strict=True):
            rate = 1 - b + b * postings.lengths[rows] / self._mean
            added.append((rows, weight * counts / (counts + k1 * rate)))
        return added


def queries(mentions: Sequence[Mention], settings: Settings) -> list[list[str]]:
    """The words that are looked for: those of each mention, or of its context as well.

    No more than :data:`LONGEST`, the nearest ones on both sides: each takes as long as any other.
    """
    found = [words[:LONGEST] for words in split([mention.text for mention in mentions])]
    if settings.query == "mention":
        return found
    sides = (split([getattr(mention, side) for mention in mentions]) for side in ("left", "right"))
    queries = []
    for own, left, right in zip(found, *sides, strict=True):
        room = LONGEST - len(own)
        after = right[: max(room // 2, room - len(left))]
        before = left[max(len(left) - room + len(after), 0) :]
        queries.append([*before, *own, *after])
    return queries
