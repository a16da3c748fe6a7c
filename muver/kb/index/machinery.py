"""The model and the sentence splitter of an index, and what they make of entities."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.kb.index import words
from muver.kb.index.entity import Entity
from muver.kb.index.segments import ENTITY
from muver.kb.index.state import MODEL, PUNKT, State
from muver.retriever.retrieval.answers import Mention
from muver.retriever.views.files import punkt_fingerprint

if TYPE_CHECKING:
    from muver.kb.index.encoder import ViewEncoder
    from muver.retriever.encoders.biencoder import BiEncoder


class Machinery:
    """One for all snapshots and threads of an index. A query needs no splitter, so each is loaded
    when it is first needed, after a look whether it is the one that the index was made with.
    """

    def __init__(self, folder: Path, state: State):
        self.folder, self.state = folder, state
        self._lock = threading.RLock()

    def mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        """(mentions, d) float32 vectors of mentions in their contexts."""
        from muver.retriever.retrieval.retriever import mention_vectors

        with self._lock:
            model = self.model
        return mention_vectors(model, mentions)

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """The columns of a segment that has these entities."""
        made = {
            name: pa.array([getattr(entity, name) for entity in entities], kind)
            for name, kind in ENTITY
        }
        if self.state.model is not None:
            with self._lock:
                encoder = self._encoder
            made |= encoder.columns(entities)
        if self.state.words:
            made |= words.columns(entities)
        return made

    @cached_property
    def model(self) -> "BiEncoder":
        from muver.retriever.encoders.fingerprint import model_fingerprint

        folder, wanted = self.folder / MODEL, self.state.model
        self._same(folder, model_fingerprint(folder), wanted.fingerprint)
        return load_model(folder)

    @cached_property
    def _encoder(self) -> "ViewEncoder":
        from muver.kb.index.encoder import ViewEncoder

        folder = self.folder / PUNKT
        self._same(folder, punkt_fingerprint(folder), self.state.model.punkt)
        return ViewEncoder(self.model, self.state.settings, folder)

    def _same(self, folder: Path, found: str, wanted: str) -> None:
        if found != wanted:
            raise InputError(
                f"{folder}: its fingerprint is {found[:12]}, that with which this index was made "
                f"({self.state.model.name}) is {wanted[:12]}. Put that back, or make the index "
                "again."
            )


def load_model(folder: Path) -> "BiEncoder":
    """A model where it computes fastest."""
    import torch

    from muver.retriever.encoders.biencoder import BiEncoder

    model = BiEncoder.from_pretrained(folder).eval()
    return model.to("cuda" if torch.cuda.is_available() else "cpu")
