"""Mentions that are asked of an index: its signals put together, and what becomes of an answer."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from muver.kb.index.described import NONE, WHOLE, EntityViews
from muver.kb.index.index_settings import COLUMN_OF, WITHOUT_MODEL, Weights
from muver.kb.index.search import Hit, Signal, contributions, search
from muver.kb.index.signals import Characters, Exact, Vectors, Words
from muver.kb.index.snapshot import Snapshot
from muver.retriever.answers import Candidate, Explanation, Mention
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.exact import exactly


class Question:
    """Mentions, and the entities of a world, or of all, of which only the ``k`` best will count.

    Only signals that have a weight are computed.
    """

    def __init__(
        self,
        store: Snapshot,
        mentions: Sequence[Mention],
        world: str | None,
        weights: Weights,
        k: int | None = None,
    ):
        self._store, self._mentions, self._weights = store, mentions, weights
        self._asked, self._k = store.asked(world), k
        counted = [name for name, weight in weights.items() if weight]
        compared = [name for name in counted if name not in WITHOUT_MODEL]
        self._queries = store.machinery.queries(mentions, compared)
        self._signals = {name: self._signal(name) for name in counted}

    def _signal(self, name: str) -> Signal:
        asked, state = self._asked, self._store.state
        match name:
            case "exact":
                return Exact(asked, self._mentions)
            case "words":
                return Words(asked, self._mentions, state.settings.words)
            case "characters":
                return Characters(asked, self._mentions)
            case "views" | "whole":
                aggregate = state.settings.scorer if name == "views" else MAX
                how = state.model.metric, state.model.scale, self._k
                length = self._store.longest
                return Vectors(asked, name, self._queries[name], length, aggregate, *how)
        return Vectors(asked, COLUMN_OF[name], self._queries[name], 1.0, MAX)

    def candidates(self, excerpts: bool) -> list[list[Candidate]]:
        """The best of each mention. An entity is read once, whichever mentions find it."""
        hits_of = search(self._asked, self._signals, self._weights, len(self._mentions), self._k)
        read = cache(self._store.views)

        def candidate(mention: int, hit: Hit) -> Candidate:
            entity = read(hit.number)
            return entity.candidate(*hit, self._shown(entity, mention), excerpts)

        return [[candidate(n, hit) for hit in hits] for n, hits in enumerate(hits_of)]

    def _shown(self, entity: EntityViews, mention: int) -> int:
        """The view of an entity that won, if views were compared."""
        if "views" not in self._queries:
            return WHOLE if "whole" in self._queries else NONE
        query = self._queries["views"][mention][None]
        (similar,) = exactly(entity.vectors, query, self._store.state.model.metric)
        return entity.shown(int(similar.argmax()), similar)

    def explanation(self, number: int) -> Explanation:
        """What signals and views add to the score of an entity for the first mention."""
        place, state, parts = self._asked.place(number), self._store.state, []
        if "views" in self._queries:
            how = state.model.metric, state.settings.scorer
            parts = self._store.views(number).parts(self._queries["views"], *how)
        return Explanation(contributions(self._signals, self._weights, place), parts)

    def compared(self, gold: int, deep: int) -> np.ndarray:
        """(signals, candidates) float32 what each signal says, for the first mention, of the best
        ``deep`` candidates by each of them, and at last of the gold entity.
        """
        scores = np.stack([signal.scores(slice(0, 1))[0] for signal in self._signals.values()])
        place = self._asked.place(gold)
        scores[:, place], of_gold = -np.inf, scores[:, place].copy()
        scores[:, ~self._asked.live] = -np.inf
        deep = min(deep, len(self._asked) - 1)
        best = np.unique(np.argpartition(-scores, deep, axis=1)[:, :deep])
        best = best[np.isfinite(scores[:, best]).all(axis=0)]
        return np.column_stack([scores[:, best], of_gold])
