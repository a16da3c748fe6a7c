"""An index with a second stage: a cross-encoder ranks its first candidates again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from muver.kb.index.answer import AnyIndex
from muver.kb.index.entity import Entity
from muver.kb.index.open_index import OpenIndex
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.retrieval.answers import SIDES, Candidate, Mention, check_number
from muver.retriever.views.build import entity_views, mention_contexts

BATCH_TOKENS = 4096


class Reranked(AnyIndex):
    """An index whose first ``depth`` candidates ``model`` ranks again; all else is the index's.

    Scores are the cross-encoder's, and say nothing of how likely an answer is right: the index's
    calibration is of its own scores.
    """

    threshold = calibration = None
    search = OpenIndex.search

    def __init__(self, index: Any, model: CrossEncoder, depth: int):
        check_number(depth, "depth")
        self._index, self._model, self._depth = index, model, depth
        self.reads = depth * (model.config.context.max_tokens + model.config.views.max_tokens)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def where(self, **columns: str) -> "Reranked":
        """The same over some of the entities (:meth:`muver.Index.where`)."""
        return Reranked(self._index.where(**columns), self._model, self._depth)

    def refresh(self) -> "Reranked":
        """The index as it is now; this object if nothing has changed."""
        newest = self._index.refresh()
        return self if newest is self._index else Reranked(newest, self._model, self._depth)

    def found(
        self,
        mentions: Sequence[Mention],
        k: int = 64,
        excerpts: bool = False,
        weights: Mapping[str, float] | None = None,
    ) -> list[list[tuple[Candidate, Entity]]]:
        """As the index does, at most ``depth`` candidates of each mention."""
        check_number(k, "k")
        there = self._index.found(mentions, self._depth, excerpts, weights)
        config, pieces = self._model.config, self._model.pieces
        sides = ([getattr(one, side).lower() for one in mentions] for side in SIDES)
        pairs = []
        for context, own in zip(
            mention_contexts(*sides, config.context, pieces), there, strict=True
        ):
            titles = [entity.title for _, entity in own]
            texts = [entity.description for _, entity in own]
            views = entity_views(titles, texts, [[]] * len(own), config.views, pieces)
            pairs.append(self._model.pairs(context, [view.ids for (view,) in views]))
        device = next(self._model.parameters()).device
        scores = self._model.scores(pairs, BATCH_TOKENS, device)
        return [
            [
                (replace(own[n][0], score=float(new[n]), probability=None), own[n][1])
                for n in np.argsort(-new, kind="stable")[:k].tolist()
            ]
            for own, new in zip(there, scores, strict=True)
        ]
