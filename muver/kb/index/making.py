"""The model of an index, loaded when first needed, and what it makes of entities."""

import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.progress import Progress
from muver.kb.index import words
from muver.kb.index.entity import Entity
from muver.kb.index.segments import ENTITY, SegmentWriter, groups, schema
from muver.kb.index.state import MODEL, PUNKT, SEGMENTS, Segment, State
from muver.retriever.retrieval.answers import Mention
from muver.retriever.views.files import punkt_fingerprint

if TYPE_CHECKING:
    from muver.kb.index.encoder import ViewEncoder
    from muver.retriever.encoders.biencoder import BiEncoder


class Machinery:
    """Model and sentence splitter of an index, the same for all of its snapshots and threads.

    Each is loaded when first needed: a query needs no splitter.

    Parameters
    ----------
    model
        The index's, where it is loaded already.
    """

    def __init__(self, folder: Path, state: State, model: "BiEncoder | None" = None):
        self.folder, self.state, self._model = folder, state, model
        self._lock = threading.Lock()
        self._encoder: ViewEncoder | None = None

    @property
    def model(self) -> "BiEncoder":
        """The model."""
        with self._lock:
            if self._model is None:
                self._model = self._load_model()
        return self._model

    @property
    def encoder(self) -> "ViewEncoder":
        """Lays out and encodes views."""
        model = self.model
        with self._lock:
            if self._encoder is None:
                self._encoder = self._load_encoder(model)
        return self._encoder

    def mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        """(mentions, d) float32 vectors of mentions in their contexts."""
        from muver.retriever.retrieval.retriever import mention_vectors

        return mention_vectors(self.model, mentions)

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """All columns of a part."""
        kinds = dict(ENTITY)
        made = {
            name: pa.array([getattr(entity, name) for entity in entities], kinds[name])
            for name in kinds
        }
        if self.state.model is not None:
            made |= self.encoder.columns(entities)
        if self.state.words:
            made |= words.columns(entities)
        return made

    def _load_model(self) -> "BiEncoder":
        from muver.kb.index.model import load_model
        from muver.retriever.encoders.fingerprint import model_fingerprint

        wanted = self.state.model
        found = model_fingerprint(self.folder / MODEL)
        if found != wanted.fingerprint:
            raise InputError(
                f"{self.folder / MODEL}: not the model that this index was made with "
                f"({wanted.name}): its fingerprint is {found[:12]}, the index's "
                f"{wanted.fingerprint[:12]}. Put that model back, or make the index again."
            )
        return load_model(self.folder / MODEL)

    def _load_encoder(self, model: "BiEncoder") -> "ViewEncoder":
        from muver.kb.index.encoder import ViewEncoder

        folder = self.folder / PUNKT
        if punkt_fingerprint(folder) != self.state.model.punkt:
            raise InputError(
                f"{folder}: not the parameters that this index was made with. Put them back, or "
                "make the index again."
            )
        return ViewEncoder(model, self.state.settings, folder)


def write_segment(
    machinery: Machinery,
    entities: Iterable[Entity],
    generation: int,
    total: int,
) -> list[Segment]:
    """Encode entities and write them as a segment; memory does not grow with them.

    Parameters
    ----------
    generation
        Of the state that will name the segment.
    total
        The number of entities, or an upper bound.

    Returns
    -------
    The segment; none if there are no entities.
    """
    progress = Progress("encoding", total, "entities")
    parts = groups(iter(entities))
    if (first := next(parts, None)) is None:
        return []
    path = machinery.folder / SEGMENTS / segment_name(generation)
    with SegmentWriter(path, schema_of(machinery.state)) as writer:
        for part in chain([first], parts):
            writer.write(machinery.columns(part))
            progress.advance(len(part))
    progress.finish()
    return [writer.segment()]


def schema_of(state: State) -> pa.Schema:
    """The columns of an index's segments."""
    return schema(state.model.dimension if state.model else None, state.words)


def segment_name(generation: int) -> str:
    """Name of the file that a change writes."""
    return f"{generation:06d}.arrow"
