"""Where the sentences of views stand in a description, and the pieces of it that are shown.

All of it is linear in the description, once an entity, and then in what is shown.
"""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from muver.retriever.answers import Excerpt
from muver.retriever.corpus.texts import clean

NEAR = 240  # characters of an excerpt on either side of the winning sentences
MOST = 2_000  # characters of sentences that are shown; no view reads many more
CUT = "\N{HORIZONTAL ELLIPSIS}"


class Described:
    """A description with its (sentences, 2) starts and ends, in characters of the cleaned text.

    >>> one = Described("Left . It rang.", np.array([[0, 5], [6, 14]]))
    >>> one.text(1, 1), one.place(1, 1), one.excerpt(1, 1).before
    ('It rang.', (7, 15), 'Left . ')
    """

    def __init__(self, description: str, sentences: np.ndarray):
        self.description, self._sentences = description, sentences

    @cached_property
    def _spans(self) -> np.ndarray:
        """(sentences, 2) the same in characters of the description, which has more spaces."""
        letters = np.frombuffer(self.description.encode("utf-32-le"), "<u4")
        gone = np.flatnonzero((letters[:-1] == ord(" ")) & (letters[1:] == ord(".")))
        starts, ends = self._sentences.T
        before = gone - np.arange(len(gone))
        last = ends - 1
        return np.stack(
            [
                starts + np.searchsorted(before, starts, side="right"),
                last + np.searchsorted(before, last, side="right") + 1,
            ],
            axis=1,
        )

    def text(self, first: int, last: int) -> str:
        """Sentences, cleaned, with a space between two; :data:`MOST` characters of them."""
        found: list[str] = []
        room = MOST
        for start, end in self._spans[max(first, 0) : last + 1]:
            found.append(clean(self.description[start : min(end, start + 2 * MOST)]))
            room -= len(found[-1]) + 1
            if room < 0:
                break
        return cut(" ".join(found))

    def place(self, first: int, last: int) -> tuple[int, int] | tuple[None, None]:
        """Start and end of sentences in the description; None for both where there are none."""
        spans = self._spans[max(first, 0) : last + 1]
        return (int(spans[0, 0]), int(spans[-1, 1])) if len(spans) else (None, None)

    def excerpt(self, first: int, last: int) -> Excerpt:
        """Sentences as they stand, with their neighbours; without any the beginning."""
        start, end = self.place(first, last)
        text, start, end = self.description, start or 0, end or 0
        before = _first(text[max(start - NEAR - 1, 0) : start][::-1])[::-1]
        if end - start > MOST:
            return Excerpt(before, text[start : start + MOST] + CUT, "")
        return Excerpt(before, text[start:end], _first(text[end : end + NEAR + 1]))


def placed(description: str, sentences: Iterable[str]) -> np.ndarray:
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
