"""An entity with its views and their vectors: what an answer about it is made of."""

from typing import NamedTuple

import numpy as np

from muver.kb.index.entity import Entity
from muver.kb.index.search import exactly
from muver.kb.index.segments import Part
from muver.retriever.corpus.texts import clean
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.answers import Candidate, ViewPart
from muver.retriever.retrieval.layers import greatest_first


class EntityViews(NamedTuple):
    """An entity with its (sentences, 2) starts and ends in the cleaned description, in characters,
    its (views, 3) layers, first and last sentences, as of :class:`muver.Candidate`, and their
    (views, d) float32 vectors.
    """

    entity: Entity
    sentences: np.ndarray
    views: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, part: Part, row: int) -> "EntityViews":
        return cls(part.entity(row), part.sentences(row), part.views(row), part.vectors_of(row))

    def view(self, number: int) -> tuple[int, int, int, str]:
        """Layer, first and last sentence of a view, and these sentences."""
        layer, first, last = self.views[number].tolist()
        text = clean(self.entity.description)
        spans = self.sentences[max(first, 0) : last + 1].tolist()
        return layer, first, last, " ".join(text[start:end] for start, end in spans)

    def candidate(self, number: int, score: float, view: int) -> Candidate:
        """The entity as an answer, with the view that won; ``number`` is its ``entity``."""
        one = self.entity
        return Candidate(number, one.id, one.title, score, *self.view(view), one.world)

    def parts(self, mention: np.ndarray, aggregate: Aggregate, metric: str) -> list[ViewPart]:
        """What each view adds to the score for a mention, (d,), the greatest part first."""
        similarities = exactly(self.vectors, mention, metric)
        shares = aggregate.shares(similarities)
        return [
            ViewPart(float(similarities[n]), float(shares[n]), *self.view(n))
            for n in greatest_first(similarities, shares).tolist()
        ]
