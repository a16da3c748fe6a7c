"""An index with a second stage: a cross-encoder ranks its first candidates again."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from muver.io.errors import Mistake
from muver.kb.index.entity import Entity
from muver.kb.index.open_index import OpenIndex
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.retrieval.answers import SIDES, Candidate, Mention, check_number
from muver.retriever.views.build import entity_views, mention_contexts

BATCH_TOKENS = 4096


class Reranked:
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

    def retrieve(
        self, mentions: Sequence[Mention], k: int = 64, excerpts: bool = False
    ) -> list[list[Candidate]]:
        """As the index does, at most ``depth`` candidates of each mention."""
        check_number(k, "k")
        found = self._index.retrieve(mentions, self._depth, excerpts)
        config, pieces = self._model.config, self._model.pieces
        sides = ([getattr(one, side).lower() for one in mentions] for side in SIDES)
        contexts = mention_contexts(*sides, config.context, pieces)
        pairs, there = [], []
        for context, candidates in zip(contexts, found, strict=True):
            own: dict[Candidate, Entity] = {}
            for one in candidates:
                with suppress(Mistake):  # removed since it was found
                    own[one] = self._index.entity(one.document_id, one.world)
            titles = [one.title for one in own.values()]
            texts = [one.description for one in own.values()]
            views = entity_views(titles, texts, [[]] * len(own), config.views, pieces)
            pairs.append(self._model.pairs(context, [view.ids for (view,) in views]))
            there.append(list(own))
        device = next(self._model.parameters()).device
        scores = self._model.scores(pairs, BATCH_TOKENS, device)
        return [
            [
                replace(candidates[n], score=float(own[n]), probability=None)
                for n in np.argsort(-own, kind="stable")[:k].tolist()
            ]
            for candidates, own in zip(there, scores, strict=True)
        ]
