"""Makes the views and vectors of a part's entities, of each entity by itself."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from muver.kb.index.entity import Entity
from muver.kb.index.model import LAYOUT, kinds
from muver.kb.index.segments import SPAN, VIEW
from muver.kb.index.settings import Making
from muver.retriever.corpus.texts import clean
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.encoders.device import BATCH_TOKENS
from muver.retriever.retrieval.rows import GLOBAL, ORIGINAL
from muver.retriever.views import punkt
from muver.retriever.views.build import entity_views, prompted_titles
from muver.retriever.views.expand import expand_world
from muver.retriever.views.layout import View, prefix_view
from muver.retriever.views.segment import Span, sentence_spans
from muver.retriever.views.settings import Merging, Views


class _Made(NamedTuple):
    """Views of one kind of some entities, in the entities' order."""

    layer: int
    owners: list[int]
    views: list[View]
    vectors: np.ndarray


class ViewEncoder:
    """Lays out and encodes views as an index's settings and its model say; ``folder`` has the
    sentence splitter's parameters.
    """

    def __init__(self, model: BiEncoder, settings: Making, folder: Path):
        self.model, self._settings = model, settings
        self.device = next(model.parameters()).device
        self._tokenizer = punkt.splitter(punkt.load(folder))
        self._kinds = kinds(settings, model.config)

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """The columns of a segment that a model makes (:func:`muver.kb.index.segments.schema`)."""
        texts = [clean(entity.description) for entity in entities]
        spans = [sentence_spans(text, self._tokenizer) for text in texts]
        made: list[_Made] = []
        if "sentences" in self._kinds:
            made += self._of_sentences(entities, texts, spans)
        if "global" in self._kinds:
            made.append(self._of_descriptions(entities, spans))
        return _columns(len(entities), spans, made)

    def _of_sentences(
        self, entities: Sequence[Entity], texts: Sequence[str], spans: Sequence[Sequence[Span]]
    ) -> list[_Made]:
        sentences = [
            [text[start:end] for start, end in own] for text, own in zip(texts, spans, strict=True)
        ]
        titles = [entity.title for entity in entities]
        views = list(entity_views(titles, texts, sentences, self._layout, self.model.pieces))
        owners = [row for row, own in enumerate(views) for _ in own]
        flat = [view for own in views for view in own]
        ids = [view.ids for view in flat]
        vectors = self._encode(ids)
        made = [_Made(ORIGINAL, owners, flat, vectors)]
        own = self._settings
        merging = Merging(
            layers=own.merge, top_k=own.top_k, max_tokens=own.merged_tokens, **own.search.as_dict()
        )
        markers = self.model.pieces.markers
        layers = expand_world(np.array(owners), ids, vectors, self._encode, markers, merging)
        for number, layer in enumerate(layers, start=1):
            merged = [
                View(view.ids, views[owner][view.first].first, views[owner][view.last].last)
                for owner, view in zip(layer.entities, layer.views, strict=True)
            ]
            made.append(_Made(number, layer.entities, merged, layer.vectors))
        return made

    def _of_descriptions(
        self, entities: Sequence[Entity], spans: Sequence[Sequence[Span]]
    ) -> _Made:
        config, pieces = self.model.config, self.model.pieces
        of_model = config.views.max_tokens if config.views.kind == "prefix" else None
        tokens = of_model or self._settings.global_tokens
        titles = prompted_titles([entity.title for entity in entities], config.views, pieces)
        texts = pieces.ids([entity.description for entity in entities], within=True)
        views = [
            View(prefix_view(title, text, pieces.markers, tokens), 0 if own else -1, len(own) - 1)
            for title, text, own in zip(titles, texts, spans, strict=True)
        ]
        vectors = self._encode([view.ids for view in views])
        return _Made(GLOBAL, list(range(len(views))), views, vectors)

    @property
    def _layout(self) -> Views:
        """The layout of views of sentences: the model's own, or ours with its prompt."""
        own = self.model.config.views
        if own.kind == "sentences":
            return own
        return Views(**LAYOUT, max_tokens=self._settings.view_tokens, prompt=own.prompt)

    def _encode(self, ids: Sequence[list[int]]) -> np.ndarray:
        tokens, model = BATCH_TOKENS[self.device.type], self.model
        return encode_vectors(
            model.encode_views, ids, model.dimension, tokens, self.device, "encoding views"
        )


def _columns(
    entities: int, spans: Sequence[Sequence[Span]], made: Sequence[_Made]
) -> dict[str, pa.Array]:
    """All views by entity; those of an entity by kind, and in the order they were made."""
    owners = np.concatenate([np.array(one.owners, dtype=np.int64) for one in made])
    order = np.argsort(owners, kind="stable")
    offsets = np.searchsorted(owners[order], np.arange(entities + 1)).astype(np.int32)
    layers = np.repeat([one.layer for one in made], [len(one.owners) for one in made])
    first = np.array([view.first for one in made for view in one.views])
    last = np.array([view.last for one in made for view in one.views])
    fields = (pa.array(part[order].astype(np.int32)) for part in (layers, first, last))
    views = pa.StructArray.from_arrays(list(fields), fields=list(VIEW))
    vectors = np.concatenate([one.vectors for one in made])[order]
    lengths = np.linalg.norm(vectors, axis=1)
    listed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    sentences = [[{"start": start, "end": end} for start, end in own] for own in spans]
    longest = [lengths[start:end].max() for start, end in pairwise(offsets)]
    return {
        "sentences": pa.array(sentences, pa.list_(SPAN)),
        "views": pa.ListArray.from_arrays(pa.array(offsets), views),
        "vectors": pa.ListArray.from_arrays(pa.array(offsets), listed),
        "length": pa.array(longest, pa.float32()),
    }
