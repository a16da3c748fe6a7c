"""Texts of mentions and of entities, compared by an encoder: cosines of their vectors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from muver.retriever.encoders.stages import Encoder
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
    """Cosines of a text of the mention and one of each entity; ``told`` is (entities, d)."""

    def __init__(self, told: np.ndarray, encode: Encode, asked: Text):
        self._vectors, self._encode, self._asked = _of_length_one(told), encode, asked

    def scores(self, mentions: Rows) -> np.ndarray:
        """Cosines: (mentions, entities) float32."""
        asked = _of_length_one(self._encode([self._asked(one) for one in mentions]))
        return asked @ self._vectors.T


def reader(encoder: Encoder, tokens: int = 128) -> Encode:
    """What encodes texts as the entity tower of a model reads them, cut to so many tokens."""
    pieces = encoder.model.pieces

    def encode(texts: Sequence[str]) -> np.ndarray:
        ids = [pieces.markers.enclose(one, tokens) for one in pieces.ids(texts)]
        return encoder.views(ids, None)

    return encode


def _of_length_one(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
