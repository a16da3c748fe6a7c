"""A second stage: a cross-encoder ranks an index's first candidates again."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from muver.kb.index.entity import Entity
from muver.retriever.answers import SIDES, Candidate, Mention, check_number
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.device import weight_of
from muver.retriever.views.build import entity_views, mention_contexts

BATCH_TOKENS = 4096


class Reranker:
    """Ranks the first ``depth`` candidates again. Scores are the ``model``'s.

    ``reads`` is what it takes for one, in tokens (:mod:`muver.kb.index.costs`).
    """

    def __init__(self, model: CrossEncoder, depth: int):
        check_number(depth, "depth")
        self._model, self.depth = model, depth
        pair = model.config.context.max_tokens + model.config.views.max_tokens
        self.reads = pair * weight_of(model.cross_encoder)

    def rank(
        self,
        mentions: Sequence[Mention],
        candidates_of: Sequence[Sequence[Candidate]],
        read: Callable[[int], Entity],
        k: int,
    ) -> list[list[Candidate]]:
        """The best ``k`` of the candidates that an index found for each mention; ``read`` gives
        their entities by number.
        """
        config, pieces = self._model.config, self._model.pieces
        sides = ([getattr(mention, side).lower() for mention in mentions] for side in SIDES)
        pairs = []
        for context, candidates in zip(
            mention_contexts(*sides, config.context, pieces), candidates_of, strict=True
        ):
            entities = [read(candidate.entity) for candidate in candidates]
            titles, texts = [e.title for e in entities], [e.description for e in entities]
            views = entity_views(titles, texts, [[]] * len(entities), config.views, pieces)
            pairs.append(self._model.pairs(context, [view.ids for (view,) in views]))
        scores = self._model.scores(pairs, BATCH_TOKENS)
        return [
            [
                replace(candidates[n], score=float(new[n]))
                for n in np.argsort(-new, kind="stable")[:k].tolist()
            ]
            for candidates, new in zip(candidates_of, scores, strict=True)
        ]
