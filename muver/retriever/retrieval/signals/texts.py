"""Texts of mentions and of entities, compared by an encoder: cosines of their vectors."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.files import write_manifest
from muver.io.progress import Progress
from muver.io.typed import Text as Name
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.encoders.encode import Encoder
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.retrieval.signals import Rows
from muver.retriever.vectors.part import Part, write_part
from muver.retriever.views.layout import Ids

Text = Callable[[Mapping[str, Any]], str]  # of a mention or an entity
# Columns that are read; the first two name a vector's row.
MENTION = ["world", "mention_id", "mention", "context_left", "context_right"]
ENTITY = ["world", "entity", "title", "text"]


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


OF_MENTIONS, OF_ENTITIES = (alone, in_context), (title, title_and_text)


class TextsOfSplit(Encoding):
    """The mentions of a split and the entities of their worlds."""

    split: Name


def encode_texts(
    model_folder: Path, entities: Path, mentions: Path, out: Path, settings: TextsOfSplit
) -> None:
    """Encode what signals compare of a split: mentions, contexts, titles, descriptions.

    By the entity tower, a part for each kind of text.

    Vectors have length one. Beside the parts lies ``manifest.json``.
    """
    encoder = Encoder(model_folder, settings)
    views = partial(encoder.views, label=None)
    table = read_mentions(mentions, settings.split)
    worlds = np.array(table["world"].to_pylist(), dtype=object)
    parts: dict[Text, list[tuple[pa.Table, np.ndarray]]] = defaultdict(list)
    progress = Progress("texts of signals", len(worlds), "mentions")
    for name in dict.fromkeys(worlds):
        asked = table.take(np.flatnonzero(worlds == name)).select(MENTION)
        of_world = read_entities(entities, [name]).select(ENTITY)
        for texts, of_texts in ((OF_MENTIONS, asked), (OF_ENTITIES, of_world)):
            rows = of_texts.select(of_texts.column_names[:2]).combine_chunks()
            for text in texts:
                written = [text(row) for row in of_texts.to_pylist()]
                parts[text].append((rows, unit_vectors(written, encoder.model.pieces, views)))
        progress.advance(len(asked))
    progress.finish()
    for text, by_world in parts.items():
        write_part(place_of(out, text), by_world)
    write_manifest(out / "manifest.json", "encode-texts", settings.as_dict(), {})


def place_of(folder: Path, text: Text) -> Path:
    """Where the vectors of a kind of text lie."""
    return folder / f"{text.__name__}.npy"


def vectors_of(folder: Path, world: str, text: Text) -> np.ndarray:
    """(entities, d) vectors of a text of a world's entities, from where they lie."""
    return Part(place_of(folder, text)).vectors(world)


def asked_of(folder: Path, world: str, text: Text) -> dict[str, np.ndarray]:
    """(d,) vectors of a text of a world's mentions, by the mention's id."""
    part = Part(place_of(folder, text))
    ids = part.rows(world, ["mention_id"])["mention_id"].to_pylist()
    return dict(zip(ids, part.vectors(world), strict=True))


class Texts:
    """Cosines of a text of the mention and one of each entity, from vectors of length one.

    ``asked`` are (d,) vectors by the mention's id, ``vectors`` are (entities, d).
    """

    def __init__(self, asked: Mapping[str, np.ndarray], vectors: np.ndarray):
        self._asked, self.kept = asked, vectors

    def scores(self, mentions: Rows) -> np.ndarray:
        """Cosines: (mentions, entities) float32."""
        return np.stack([self._asked[mention["mention_id"]] for mention in mentions]) @ self.kept.T


def unit_vectors(
    texts: Sequence[str],
    pieces: Pieces,
    views: Callable[[Sequence[Ids]], np.ndarray],
    tokens: int = 128,
) -> np.ndarray:
    """(texts, d) vectors of texts, cut to so many tokens, by ``views``, an entity tower; their
    length is 1.
    """
    vectors = views([pieces.markers.enclose(ids, tokens) for ids in pieces.ids(texts)])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
