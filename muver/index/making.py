"""The model of an index, loaded when first needed, and what it makes of entities."""

import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from muver.index import words
from muver.index.entity import Entity
from muver.index.segments import ENTITY, SegmentWriter, groups, schema
from muver.index.state import MODEL, PUNKT, SEGMENTS, Segment, State
from muver.io.errors import InputError
from muver.io.progress import Progress
from muver.retrieval.answers import Mention

if TYPE_CHECKING:
    from muver.encoders.biencoder import BiEncoder
    from muver.index.encoder import ViewEncoder


class Machinery:
    """Model and sentence splitter of an index, the same for all of its snapshots and threads.

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
    def encoder(self) -> "ViewEncoder":
        """Lays out and encodes views; loaded once.

        Raises
        ------
        InputError
            If the index's model is not the one that its vectors were made with.
        """
        with self._lock:
            if self._encoder is None:
                self._encoder = self._load()
        return self._encoder

    def mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        """(mentions, d) float32 vectors of mentions in their contexts."""
        from muver.retrieval.retriever import mention_vectors

        return mention_vectors(self.encoder.model, mentions, self.encoder.device)

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

    def _load(self) -> "ViewEncoder":
        from muver.index.encoder import ViewEncoder
        from muver.index.model import load_model

        if self._model is None:
            self._check()
        model = self._model or load_model(self.folder / MODEL)
        return ViewEncoder(model, self.state.settings, self.folder / PUNKT)

    def _check(self) -> None:
        """Look whether model and sentence splitter are those of the index."""
        from muver.encoders.fingerprint import model_fingerprint
        from muver.views.punkt import fingerprint

        wanted = self.state.model
        found = model_fingerprint(self.folder / MODEL)
        if found != wanted.fingerprint:
            raise InputError(
                f"{self.folder / MODEL}: not the model that this index was made with "
                f"({wanted.name}): its fingerprint is {found[:12]}, the index's "
                f"{wanted.fingerprint[:12]}. Put that model back, or make the index again."
            )
        if fingerprint(self.folder / PUNKT) != wanted.punkt:
            raise InputError(
                f"{self.folder / PUNKT}: not the parameters that this index was made with. Put "
                "them back, or make the index again."
            )


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
