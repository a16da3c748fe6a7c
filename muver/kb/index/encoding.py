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
from muver.kb.index.segments import AT_ONCE, ENTITY
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

    def __init__(self, folder: Path, state: State):
        self.folder, self.state = folder, state
        self._lock = threading.RLock()

    def queries(self, mentions: Sequence[Mention], names: Sequence[str]) -> dict[str, np.ndarray]:
        """(mentions, d) float32 vectors that signals of these names compare: of mentions in their
        contexts, as models are trained, and of texts that an encoder compares.
        """
        found: dict[str, np.ndarray] = {}
        if trained := [name for name in names if name in ("views", "whole")]:
            from muver.retriever.encoders.encode import encode

            with self._lock:
                model = self.model
            found = dict.fromkeys(trained, encode(mentions, model))
        if texts := [name for name in names if name not in trained]:
            from muver.retriever.retrieval.signals.catalog import TEXTS

            rows = [
                {"mention": m.text, "context_left": m.left, "context_right": m.right}
                for m in mentions
            ]
            with self._lock:
                encoder = self._encoder
            asked = {TEXTS[name][0] for name in texts}
            prompt = encoder.model.config.context.prompt
            vectors = {text: encoder.texts(list(map(text, rows)), prompt) for text in asked}
            found |= {name: vectors[TEXTS[name][0]] for name in texts}
        return found

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """The columns of a part (:func:`muver.kb.index.segments.write_segment`)."""
        if not self.state.columns:
            return own_columns(entities)
        if self.state.model.punkt != UNICODE:
            raise InputError(
                f"{self.folder}: its sentences are by Punkt, which changes no index any more. Make "
                "it again with `muver index create`."
            )
        with self._lock:
            encoder = self._encoder
        return own_columns(entities) | encoder.columns(entities)

    @cached_property
    def model(self) -> "BiEncoder":
        from muver.retriever.encoders.biencoder import BiEncoder
        from muver.retriever.encoders.device import load_model

        if all(path.stat().st_size <= AT_ONCE for path in (self.folder / MODEL).rglob("*")):
            check_model(self.folder, self.state)
        known = self.state.model.fingerprint
        if (model := LOADED.get(known)) is None:
            model = LOADED[known] = load_model(self.folder / MODEL, BiEncoder)
        return model

    @cached_property
    def _encoder(self) -> "ViewEncoder":
        from muver.kb.index.vectors import ViewEncoder

        return ViewEncoder(self.model, self.state.settings, self.state.columns)


def own_columns(entities: Sequence[Entity]) -> dict[str, pa.Array]:
    """The columns of entities that need no model."""
    return {
        name: pa.array([getattr(entity, name) for entity in entities], kind)
        for name, kind in ENTITY
    }


def check_model(folder: Path, state: State) -> None:
    """Refuse a model that is not what the index was made with."""
    why = "not what the index was made with"
    try:
        if model_fingerprint(folder / MODEL) == state.model.fingerprint:
            return
    except OSError as error:
        why = f"cannot be read ({error})"
    raise InputError(f"{folder / MODEL}: {why}. Put that back, or make it again.")
