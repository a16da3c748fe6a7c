"""Turn an entity's paragraphs into the text and sentences of the canonical tables."""

from collections.abc import Sequence
from typing import NamedTuple

from muver.retriever.corpus.clean import clean

BETWEEN = "\n"  # no space, so that `clean` changes nothing across two paragraphs


class Passages(NamedTuple):
    """A text and its paragraphs.

    ``sentences`` are the paragraphs after `clean`; ``starts`` and ``ends`` are their places in
    ``clean(text)``, in characters.
    """

    text: str
    sentences: list[str]
    starts: list[int]
    ends: list[int]


def passages(paragraphs: Sequence[str]) -> Passages:
    """Join paragraphs to a text, each as one "sentence", so that each becomes a view.

    >>> passages(["A b .", "C"])
    Passages(text='A b .\\nC', sentences=['A b.', 'C'], starts=[0, 5], ends=[4, 6])
    """
    sentences = [clean(paragraph) for paragraph in paragraphs]
    starts, ends, end = [], [], -len(BETWEEN)
    for sentence in sentences:
        starts.append(end + len(BETWEEN))
        end = starts[-1] + len(sentence)
        ends.append(end)
    return Passages(BETWEEN.join(paragraphs), sentences, starts, ends)
