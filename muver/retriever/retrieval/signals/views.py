"""What a trained row gives every entity of a world: by its vectors, or by its run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from muver.retriever.retrieval.blocks import Block
from muver.retriever.retrieval.exact import similarity
from muver.retriever.retrieval.layers import SystemViews
from muver.retriever.retrieval.retrieval_settings import ViewsSignal
from muver.retriever.retrieval.signals import Rows
from muver.retriever.vectors.block import ViewBlock


class Views:
    """A row's scores of all entities of a world, by the views that it ranks by.

    Cosines stay cosines: they are divided by the vectors' lengths. Other scores lie between 0 for
    the mention's worst entity and 1 for its best (:func:`between_0_and_1`).
    """

    def __init__(self, settings: ViewsSignal, views: SystemViews, world: str, entities: int):
        parts, owners, _ = views.world(world)
        self._settings, self._entities, self._aggregate = settings, entities, views.aggregate
        self._block = ViewBlock.of(parts, owners, np.arange(entities))
        self._vectors, self._length = views.mentions(world), views.length(world)
        self._places = {one: place for place, one in enumerate(views.mention_ids(world))}
        self.kept = self._block.vectors  # of entities

    def scores(self, mentions: Rows) -> np.ndarray:
        """The aggregates of views' similarities: (mentions, entities) float32."""
        asked = self._vectors[[self._places[one["mention_id"]] for one in mentions]]
        products = similarity(asked, self._block.vectors, self._settings.metric)
        block = Block.of(products, self._block.starts)
        found = np.full((len(mentions), self._entities), -np.inf, dtype=np.float32)
        entities = self._block.owners[self._block.starts]
        found[:, entities] = self._aggregate.scores(block, len(entities))
        return found / self._length if self._settings.cosines else between_0_and_1(found)


class Ranked:
    """A run's scores as :class:`Views` scales them; 0 for entities that it does not rank.

    ``run`` has the table of candidates of each mention.
    """

    def __init__(self, run: Mapping[str, Any], entities: int):
        self._run, self._entities = run, entities

    def scores(self, mentions: Rows) -> np.ndarray:
        """Scaled scores: (mentions, entities) float32."""
        found = np.full((len(mentions), self._entities), -np.inf, dtype=np.float32)
        for row, mention in zip(found, mentions, strict=True):
            if (ranked := self._run.get(mention["mention_id"])) is not None:
                row[ranked["entity"].to_numpy()] = ranked["score"].to_numpy()
        return between_0_and_1(found)


def between_0_and_1(scores: np.ndarray) -> np.ndarray:
    """Scale each mention's finite scores from 0 to 1; 1 where all are equal, 0 for infinite ones.

    ``scores`` and the result are (mentions, entities).

    >>> between_0_and_1(np.array([[4.0, 3.0, 2.0, -np.inf], [7.0, 7.0, -np.inf, 7.0]])).tolist()
    [[1.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0]]
    """
    there = np.isfinite(scores)
    low = np.min(scores, axis=1, keepdims=True, where=there, initial=np.inf)
    width = np.max(scores, axis=1, keepdims=True, where=there, initial=-np.inf) - low
    scaled = np.ones_like(scores)
    np.divide(scores - low, width, out=scaled, where=there & (width > 0))
    return np.where(there, scaled, 0)
