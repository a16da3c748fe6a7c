"""The model of an index, and what it makes of entities."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.kb.index.entity import Entity
from muver.kb.index.segments import AT_ONCE, own_columns
from muver.kb.index.state import MODEL, State
from muver.retriever.answers import Mention
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.views.views_settings import UNICODE

if TYPE_CHECKING:
    from muver.kb.index.vectors import ViewEncoder
    from muver.retriever.encoders.biencoder import BiEncoder


# Models by fingerprint: indexes that are open at a time share one.
LOADED: WeakValueDictionary[str, "BiEncoder"] = WeakValueDictionary()


class Encoding:
    """One for all snapshots and threads of an index. A model is loaded when it is first needed."""

    def __init__(self, folder: Path, state: State, model: "BiEncoder | None" = None):
        self.folder, self.state, self._model = folder, state, model
        self._lock = threading.Lock()

    def queries(self, mentions: Sequence[Mention], names: Sequence[str]) -> dict[str, np.ndarray]:
        """(mentions, d) float32 vectors that signals of these names compare."""
        return self.encoder.queries(mentions, names) if names else {}

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """The columns of a part (:func:`muver.kb.index.segments.write_segment`)."""
        if not self.state.columns:
            return own_columns(entities)
        if self.state.model.punkt != UNICODE:
            raise InputError(
                f"{self.folder}: its sentences are by Punkt, which changes no index any more. Make "
                "it again with `muver index create`."
            )
        return own_columns(entities) | self.encoder.columns(entities)

    @property
    def encoder(self) -> "ViewEncoder":
        with self._lock:
            return self._encoder

    @cached_property
    def _encoder(self) -> "ViewEncoder":
        from muver.kb.index.vectors import ViewEncoder
        from muver.retriever.encoders.biencoder import BiEncoder
        from muver.retriever.encoders.device import load_model

        state, folder = self.state, self.folder / MODEL
        model = self._model
        if model is None:
            if all(path.stat().st_size <= AT_ONCE for path in folder.rglob("*")):
                check_model(self.folder, state)
            model = LOADED.get(state.model.fingerprint) or load_model(folder, BiEncoder)
        LOADED[state.model.fingerprint] = model
        return ViewEncoder(model, state.settings, state.columns)


def check_model(folder: Path, state: State) -> None:
    """Refuse a model that is not what the index was made with."""
    place = folder / MODEL
    why = f"{place}: not what the index was made with."
    try:
        if model_fingerprint(place) == state.model.fingerprint:
            return
    except InputError as error:
        why = str(error)
    raise InputError(f"{why} Put {place} back from a copy, or make the index again.")
