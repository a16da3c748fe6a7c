"""The model and the sentence splitter of an index, and what they make of entities."""

import threading
from collections.abc import Sequence
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

    def __init__(self, folder: Path, state: State, model: "BiEncoder | None" = None):
        self.folder, self.state, self._model = folder, state, model
        self._lock = threading.RLock()
        self._encoder: ViewEncoder | None = None

    @property
    def model(self) -> "BiEncoder":
        from muver.kb.index.model import load_model
        from muver.retriever.encoders.fingerprint import model_fingerprint

        with self._lock:
            if self._model is None:
                folder, wanted = self.folder / MODEL, self.state.model
                found = model_fingerprint(folder)
                if found != wanted.fingerprint:
                    raise InputError(
                        f"{folder}: not the model that this index was made with ({wanted.name}): "
                        f"its fingerprint is {found[:12]}, the index's {wanted.fingerprint[:12]}. "
                        "Put that model back, or make the index again."
                    )
                self._model = load_model(folder)
            return self._model

    @property
    def encoder(self) -> "ViewEncoder":
        from muver.kb.index.encoder import ViewEncoder

        with self._lock:
            if self._encoder is None:
                folder = self.folder / PUNKT
                if punkt_fingerprint(folder) != self.state.model.punkt:
                    raise InputError(
                        f"{folder}: not the parameters that this index was made with. Put them "
                        "back, or make the index again."
                    )
                self._encoder = ViewEncoder(self.model, self.state.settings, folder)
            return self._encoder

    def mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        """(mentions, d) float32 vectors of mentions in their contexts."""
        from muver.retriever.retrieval.retriever import mention_vectors

        return mention_vectors(self.model, mentions)

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        made = {
            name: pa.array([getattr(entity, name) for entity in entities], kind)
            for name, kind in ENTITY
        }
        if self.state.model is not None:
            made |= self.encoder.columns(entities)
        if self.state.words:
            made |= words.columns(entities)
        return made
