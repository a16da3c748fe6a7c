"""Mentions that are asked of an index: exact search by a weighted sum of signals.

Answers do not depend on how entities are spread over parts. A matrix product rounds differently by
the shape of its matrices. So products only say which entities may be among the best. These are
compared by sums that are always taken in the same order; equal scores are ordered by world and id.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from muver.kb.index.index_settings import COLUMN_OF, WITHOUT_MODEL, Weights
from muver.kb.index.signals import Characters, Exact, Signal, Vectors, Words
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.views import NONE, WHOLE, EntityViews
from muver.retriever.answers import Candidate, Explanation, Mention
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.exact import exactly

MEMORY_MB = 256  # of the scores held at a time
PRODUCTS = 2**18  # bytes of a mention's products with the vectors of a part, about
FIRST_MENTION = slice(0, 1)


class Hit(NamedTuple):
    """A ranked entity: its number in the index, and what each signal gives to its score."""

    number: int
    signals: dict[str, float]


class Question:
    """Mentions, and the entities of a world, or of all, of which the ``k`` best are looked for.

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
        self._store, self._mentions, self._k = store, mentions, k
        self._scope = store.scope(world)
        self._weights = {name: weight for name, weight in weights.items() if weight}
        compared = [name for name in self._weights if name not in WITHOUT_MODEL]
        self._queries = store.encoding.queries(mentions, compared)
        self._signals = {name: self._signal(name) for name in self._weights}

    def _signal(self, name: str) -> Signal:
        scope, state = self._scope, self._store.state
        match name:
            case "exact":
                return Exact(scope, self._mentions)
            case "words":
                return Words(scope, self._mentions, state.settings.words)
            case "characters":
                return Characters(scope, self._mentions)
            case "views" | "whole":
                aggregate = state.settings.scorer if name == "views" else MAX
                return Vectors(
                    scope, name, self._queries[name], self._store.longest, aggregate,
                    metric=state.model.metric, scale=state.model.scale, k=self._k,
                )  # fmt: skip
        return Vectors(scope, COLUMN_OF[name], self._queries[name], 1.0, MAX)

    def candidates(self, excerpts: bool) -> list[list[Candidate]]:
        """The best of each mention. An entity is read once, whichever mentions find it."""
        read = cache(self._store.views)

        def candidate(mention: int, hit: Hit) -> Candidate:
            entity = read(hit.number)
            return entity.candidate(*hit, self._shown(entity, mention), excerpts)

        return [[candidate(n, hit) for hit in hits] for n, hits in enumerate(self._hits())]

    def _hits(self) -> Iterator[list[Hit]]:
        """Of each mention the best entities by the sum, best first, or all if there are fewer.

        Without a model those of which no signal says anything are none.
        """
        scope, signals, k = self._scope, self._signals, self._k
        least = 0 if all(signal.final for signal in signals.values()) else -np.inf
        for mentions_at in self._spans():
            total = np.zeros((mentions_at.stop - mentions_at.start, len(scope)))
            room = np.zeros(len(total))
            for name, signal in signals.items():
                total += self._weights[name] * signal.scores(mentions_at).astype(np.float64)
                room += self._weights[name] * signal.slack(mentions_at)
            total[:, ~scope.live] = -np.inf
            for row, values in enumerate(total):
                near = np.flatnonzero(values > least)
                if len(near) > k:
                    last = np.partition(values[near], -k)[-k]
                    near = near[values[near] >= last - room[row]]
                yield self._best(mentions_at.start + row, near) if len(near) else []

    def _spans(self) -> Iterator[slice]:
        """As many mentions at a time as fit into memory with all their scores; at least one."""
        of_a_mention = len(self._scope) * (16 + 4 * len(self._signals)) + PRODUCTS  # bytes
        size, mentions = max(MEMORY_MB * 2**20 // of_a_mention, 1), len(self._mentions)
        return (slice(n, min(n + size, mentions)) for n in range(0, mentions, size))

    def _best(self, mention: int, near: np.ndarray) -> list[Hit]:
        """The best of the entities at some places."""
        scope, shares = self._scope, self._contributed(mention, near)
        best = np.lexsort((scope.order[near], -sum(shares.values())))[: self._k].tolist()
        signals = [{name: float(scores[n]) for name, scores in shares.items()} for n in best]
        return list(map(Hit, map(scope.number, near[best].tolist()), signals))

    def _contributed(self, mention: int, places: np.ndarray) -> dict[str, np.ndarray]:
        """(places,) float64 what each signal gives to scores."""
        exact = {name: s.exactly(mention, places) for name, s in self._signals.items()}
        return {name: self._weights[name] * exact[name].astype(np.float64) for name in exact}

    def _shown(self, entity: EntityViews, mention: int) -> int:
        """The view of an entity that won, if views were compared."""
        if "views" not in self._queries:
            return WHOLE if "whole" in self._queries else NONE
        query = self._queries["views"][mention][None]
        (similar,) = exactly(entity.vectors, query, self._store.state.model.metric)
        return entity.shown(int(similar.argmax()), similar)

    def explanation(self, number: int) -> Explanation:
        """What signals and views add to the score of an entity for the first mention."""
        places, state, parts = np.array([self._scope.place(number)]), self._store.state, []
        if "views" in self._queries:
            how = state.model.metric, state.settings.scorer
            parts = self._store.views(number).parts(self._queries["views"], *how)
        for signal in self._signals.values():
            if signal.final:
                signal.scores(FIRST_MENTION)
        shares = self._contributed(0, places)
        return Explanation({name: float(score) for name, (score,) in shares.items()}, parts)

    def signal_scores(self, gold: int, depth: int) -> np.ndarray:
        """(signals, candidates) float32 each signal's scores, for the first mention, of the best
        ``depth`` candidates by each of them, and at last of the gold entity.
        """
        scores = np.stack([signal.scores(FIRST_MENTION)[0] for signal in self._signals.values()])
        place = self._scope.place(gold)
        scores[:, place], of_gold = -np.inf, scores[:, place].copy()
        scores[:, ~self._scope.live] = -np.inf
        depth = min(depth, len(self._scope) - 1)
        best = np.unique(np.argpartition(-scores, depth, axis=1)[:, :depth])
        best = best[np.isfinite(scores[:, best]).all(axis=0)]
        return np.column_stack([scores[:, best], of_gold])
