"""Texts of mentions and of entities, compared by an encoder: cosines of their vectors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from muver.retriever.retrieval.signals import Rows

Text = Callable[[Mapping[str, Any]], str]  # of a mention or an entity
Encode = Callable[[Sequence[str]], np.ndarray]  # texts to (texts, d) vectors


def alone(mention: Mapping[str, Any]) -> str:
    """The mention without its context."""
    return mention["mention"]


def in_context(mention: Mapping[str, Any], words: int = 32) -> str:
    """The mention with so many words on each side.

    >>> in_context({"context_left": "a b c", "mention": "m", "context_right": "d e f"}, 2)
    'b c m d e'
    """
    left = mention["context_left"].split()[-words:]
    right = mention["context_right"].split()[:words]
    return " ".join([*left, mention["mention"], *right])


def title(entity: Mapping[str, Any]) -> str:
    """The title of an entity."""
    return entity["title"]


def title_and_text(entity: Mapping[str, Any]) -> str:
    """The title and the description, of which the encoder reads the beginning."""
    return f"{entity['title']} {entity['text']}"


class Texts:
    """Cosines of a text of the mention and a text of each entity.

    ``names``: (alone, title); ``names and texts``: (alone, title_and_text); ``context``:
    (in_context, title_and_text).
    """

    def __init__(self, entities: Rows, encode: Encode, asked: Text, told: Text):
        self._encode, self._asked = encode, asked
        self._vectors = _of_length_one(encode([told(one) for one in entities]))

    def scores(self, mentions: Rows) -> np.ndarray:
        """Cosines: (mentions, entities) float32."""
        asked = _of_length_one(self._encode([self._asked(one) for one in mentions]))
        return asked @ self._vectors.T


def _of_length_one(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
