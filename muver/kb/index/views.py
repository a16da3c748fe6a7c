"""An entity's views: where their sentences stand in its description, and what is shown of them.

An entity takes time that is linear in its description, once, and each answer with it time that is
linear in what is shown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from muver.kb.index.entity import Entity
from muver.retriever.answers import NO_VIEW, Candidate, Excerpt, ViewPart
from muver.retriever.corpus.texts import clean
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.exact import exactly
from muver.retriever.retrieval.layers import greatest_first
from muver.retriever.retrieval.rows import GLOBAL

NEAR = 240  # characters of an excerpt on either side of the winning sentences
MOST = 2_000  # characters of sentences that are shown; no view reads many more
CUT = "\N{HORIZONTAL ELLIPSIS}"
MOST_ALIKE = 16  # views whose texts are compared
ALIKE = 0.01  # of a similarity: so near is another one that is about the same
WHOLE, NONE = -2, -1  # in place of a view's number: the whole description, nothing


@dataclass(frozen=True, eq=False)
class EntityViews:
    """An entity with its (sentences, 2) starts and ends in the cleaned description, in characters,
    its (views, 3) layers, first and last sentences, as of :class:`muver.Candidate`, and their
    (views, d) float32 vectors.

    >>> entity = Entity(id="1", title="Bell", description="Left . It rang.")
    >>> views = EntityViews(entity, np.array([[0, 5], [6, 14]]))
    >>> views.text(1, 1), views.place(1, 1), views.excerpt(1, 1).before
    ('It rang.', (7, 15), 'Left . ')
    """

    entity: Entity
    sentences: np.ndarray
    views: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.int32))
    vectors: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32))

    @cached_property
    def _spans(self) -> np.ndarray:
        """(sentences, 2) the same in characters of the description, which has more spaces."""
        letters = np.frombuffer(self.entity.description.encode("utf-32-le"), "<u4")
        gone = np.flatnonzero((letters[:-1] == ord(" ")) & (letters[1:] == ord(".")))
        before = gone - np.arange(len(gone))
        letters_at = self.sentences - [0, 1]  # the first and the last of each sentence
        return letters_at + np.searchsorted(before, letters_at, side="right") + [0, 1]

    def text(self, first: int, last: int) -> str:
        """Sentences, cleaned, with a space between two; :data:`MOST` characters of them."""
        description, text = self.entity.description, ""
        for start, end in self._spans[max(first, 0) : last + 1]:
            sentence = clean(description[start : min(end, start + 2 * MOST)])
            text = f"{text} {sentence}" if text else sentence
            if len(text) > MOST:
                break
        return cut(text)

    def place(self, first: int, last: int) -> tuple[int, int] | tuple[None, None]:
        """Start and end of sentences in the description; None for both where there are none."""
        spans = self._spans[max(first, 0) : last + 1]
        return (int(spans[0, 0]), int(spans[-1, 1])) if len(spans) else (None, None)

    def excerpt(self, first: int, last: int) -> Excerpt:
        """Sentences as they stand, with their neighbours; without any the beginning."""
        start, end = self.place(first, last)
        text, start, end = self.entity.description, start or 0, end or 0
        before = _first(text[max(start - NEAR - 1, 0) : start][::-1])[::-1]
        if end - start > MOST:
            return Excerpt(before, text[start : start + MOST] + CUT, "")
        return Excerpt(before, text[start:end], _first(text[end : end + NEAR + 1]))

    def part(self, number: int, similarity: float, share: float) -> ViewPart:
        """A view, with what it adds to a score."""
        layer, *span = self.origin(number)
        return ViewPart(similarity, share, layer, *span, self.text(*span), *self.place(*span))

    def parts(self, mention: np.ndarray, metric: str, aggregate: Aggregate) -> list[ViewPart]:
        """What each view adds to the score for a (1, d) mention, the greatest share first."""
        (similarities,) = exactly(self.vectors, mention, metric)
        shares = aggregate.shares(similarities)
        return [
            self.part(n, float(similarities[n]), float(shares[n]))
            for n in greatest_first(similarities, shares).tolist()
        ]

    def shown(self, view: int, similarities: np.ndarray) -> int:
        """Of the views of a layer that are about as similar as the one that won, the one that says
        most: (views,) ``similarities``.
        """
        best, layers = similarities[view], self.views[:, 0]
        alike = (similarities >= best - ALIKE * abs(best)) & (layers == layers[view])
        near = np.flatnonzero(alike)
        near = near[np.argsort(-similarities[near], kind="stable")[:MOST_ALIKE]]
        # Of equals the one that won.
        return max([view, *near.tolist()], key=self._letters) if len(near) > 1 else view

    def _letters(self, view: int) -> int:
        return sum(map(str.isalpha, self.text(*self.views[view, 1:].tolist())))

    def origin(self, view: int) -> tuple[int, int, int]:
        """Layer, first and last sentence of a view; also of :data:`WHOLE`, and of :data:`NONE`."""
        if view == WHOLE:
            return GLOBAL, 0, len(self.sentences) - 1
        return (NO_VIEW, -1, -1) if view == NONE else tuple(self.views[view].tolist())

    def candidate(
        self, number: int, signals: Mapping[str, float], view: int, excerpt: bool = False
    ) -> Candidate:
        """The entity as an answer, by what each signal gives, with the view that won, and perhaps
        an excerpt; ``number`` is its ``entity``.
        """
        layer, *span = self.origin(view)
        entity = self.entity
        return Candidate(
            number, entity.id, entity.title, sum(signals.values()), layer, *span,
            self.text(*span), entity.world, signals=signals, further=entity.further,
            excerpt=self.excerpt(*span) if excerpt else None,
        )  # fmt: skip


def sentence_spans_in(description: str, sentences: Iterable[str]) -> np.ndarray:
    """(sentences, 2) int64 starts and ends of sentences that stand one after another in the
    cleaned description.
    """
    cleaned, spans, end = clean(description), [], 0
    for sentence in sentences:
        start = cleaned.index(sentence, end)
        end = start + len(sentence)
        spans.append((start, end))
    return np.array(spans, np.int64).reshape(-1, 2)


def cut(text: str) -> str:
    """A text of :data:`MOST` characters and an ellipsis, if it is longer."""
    return text if len(text) <= MOST else text[:MOST] + CUT


def _first(text: str) -> str:
    if len(text) <= NEAR:
        return text
    return f"{text[: text.rfind(' ', 0, NEAR) + 1 or NEAR]}{CUT}"
