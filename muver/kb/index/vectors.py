"""The vectors of entities: texts laid out and encoded, as columns of a segment."""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import chain, islice

import numpy as np
import pyarrow as pa
from msgspec import UnsetType

from muver.kb.index.entity import Entity
from muver.kb.index.index_settings import Making
from muver.kb.index.model import LAYOUT
from muver.kb.index.segments import SPAN, VIEW, has_views
from muver.retriever.answers import Mention
from muver.retriever.corpus.texts import clean
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.encode import Encoder, encode
from muver.retriever.retrieval.rows import ORIGINAL
from muver.retriever.retrieval.signals.catalog import TEXTS
from muver.retriever.retrieval.signals.texts import title_and_text, unit_vectors
from muver.retriever.views.boundaries import sentence_spans
from muver.retriever.views.build import entity_views, prompted_titles, whole_views
from muver.retriever.views.layout import Span, View, flattened, retitled
from muver.retriever.views.merging import NewViews, expand_world
from muver.retriever.views.views_settings import Merging, Views

LETTERS = 16  # of a word piece at most, nearly always


class ViewEncoder:
    """Lays out and encodes names, texts and views as an index's settings and its model say."""

    def __init__(self, model: BiEncoder, settings: Making, columns: Sequence[str]):
        self.model, self._settings, self._columns = model, settings, columns
        self._encoder = Encoder(model)

    def columns(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """The columns of a segment that a model makes (:func:`muver.kb.index.segments.schema`)."""
        columns: dict[str, pa.Array] = {}
        if "names" in self._columns:
            columns |= self._of_texts(entities)
        if has_views(self._columns):
            columns |= self._of_descriptions(entities)
        return columns

    def queries(self, mentions: Sequence[Mention], names: Sequence[str]) -> dict[str, np.ndarray]:
        """(mentions, d) float32 vectors that signals of these names compare: of mentions in their
        contexts, as models are trained, and of texts that an encoder compares.
        """
        rows = [
            {"mention": m.text, "context_left": m.left, "context_right": m.right} for m in mentions
        ]
        in_context = cache(lambda: encode(mentions, self.model))
        prompt = self.model.config.context.prompt
        of_texts = cache(lambda text: self.texts(list(map(text, rows)), prompt))
        return {name: of_texts(TEXTS[name][0]) if name in TEXTS else in_context() for name in names}

    def texts(
        self, texts: Sequence[str], prompt: str | UnsetType, label: str | None = None
    ) -> np.ndarray:
        """(texts, d) float32 unit vectors of texts after a prompt of the encoder's."""
        views, prompted = partial(self._encode, label=label), [f"{prompt or ''}{t}" for t in texts]
        return unit_vectors(prompted, self.model.pieces, views, self._settings.global_tokens)

    def _of_texts(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """Unit vectors of each name, and one of title and description."""
        names = [[e.title, *e.aliases] for e in entities]
        texts = [title_and_text({"title": e.title, "text": e.description}) for e in entities]
        prompt = self.model.config.views.prompt
        every = self.texts([*chain.from_iterable(names), *texts], prompt, "encoding texts")
        ends = np.cumsum([0, *map(len, names)])
        return {
            "names": vector_lists(every[: ends[-1]], ends),
            "text": vector_lists(every[ends[-1] :], np.arange(len(texts) + 1)),
        }

    def _of_descriptions(self, entities: Sequence[Entity]) -> dict[str, pa.Array]:
        """Sentences, their views and one of the whole description, with their vectors; how long the
        longest vector is, and how much of the description no view reads.
        """
        texts = [clean(entity.description) for entity in entities]
        spans = list(map(sentence_spans, texts))
        columns = {"spans": pa.array([[]] * len(entities), pa.list_(VIEW))}
        unread: list[list[int]] = []
        lengths: list[np.ndarray] = []
        if "views" in self._columns:
            spans, views = self._laid_out(entities, texts, spans)
            layers = [*self._of_sentences(views), *self._of_aliases(entities, views)]
            columns = _columns(len(entities), layers)
            lengths.append(columns["length"].to_numpy())
            unread.append(list(map(_unread_sentences, spans, views)))
        if "whole" in self._columns:
            views, wholes = self._of_wholes(entities, spans)
            unread.append(list(map(self._unread_end, entities, views)))
            columns["whole"] = vector_lists(wholes, np.arange(len(wholes) + 1))
            lengths.append(np.linalg.norm(wholes, axis=1))
        return {
            **columns,
            "sentences": sentence_column(spans),
            "unread": pa.array([min(counts) for counts in zip(*unread, strict=True)], pa.int32()),
            "length": pa.array(np.maximum.reduce(lengths), pa.float32()),
        }

    def _laid_out(
        self, entities: Sequence[Entity], texts: Sequence[str], spans: Sequence[Sequence[Span]]
    ) -> tuple[Sequence[Sequence[Span]], list[list[View]]]:
        """Sentences and views of each entity, laid out so that all is read."""
        titles = [entity.title for entity in entities]
        sentences = [
            [text[start:end] for start, end in of_text]
            for text, of_text in zip(texts, spans, strict=True)
        ]
        layout, pieces = self.model.config.views, self.model.pieces
        if layout.kind != "sentences":
            layout = Views(**LAYOUT, max_tokens=self._settings.view_tokens, prompt=layout.prompt)
        ids = iter(pieces.ids([*chain.from_iterable(sentences)], within=True))
        title_ids = prompted_titles(titles, layout, pieces)
        laid_out = [
            whole_views(title, text, of_text, list(islice(ids, len(of_text))), layout, pieces)
            for title, text, of_text in zip(title_ids, texts, spans, strict=True)
        ]
        return [sentences for sentences, _ in laid_out], [views for _, views in laid_out]

    def _of_aliases(
        self, entities: Sequence[Entity], views: Sequence[Sequence[View]]
    ) -> list[tuple[int, NewViews]]:
        """The first view of each entity once more under each of its aliases, as original views;
        nothing if there are no aliases.
        """
        owners = [row for row, entity in enumerate(entities) for _ in entity.aliases]
        if not owners:
            return []
        layout, pieces = self.model.config.views, self.model.pieces
        names = chain.from_iterable(entity.aliases for entity in entities)
        again = [
            retitled(views[row][0], title, pieces.markers, layout.max_tokens)
            for row, title in zip(owners, prompted_titles([*names], layout, pieces), strict=True)
        ]
        vectors = self._encode([view.ids for view in again])
        return [(ORIGINAL, NewViews(owners, again, vectors))]

    def _of_sentences(self, views: Sequence[Sequence[View]]) -> list[tuple[int, NewViews]]:
        """The views of each layer, the original ones first, with its number."""
        settings = self._settings
        flat, owners = flattened(views)
        vectors = self._encode([view.ids for view in flat])
        merging = Merging(
            layers=settings.merge,
            top_k=settings.top_k,
            max_tokens=settings.merged_tokens,
            **settings.search.as_dict(),
        )
        markers = self.model.pieces.markers
        layers = expand_world(np.array(owners), flat, vectors, self._encode, markers, merging)
        return list(enumerate([NewViews(owners, flat, vectors), *layers], start=ORIGINAL))

    def _of_wholes(
        self, entities: Sequence[Entity], spans: Sequence[Sequence[Span]]
    ) -> tuple[list[View], np.ndarray]:
        """A view of each description's beginning, and their vectors."""
        layout, titles = self.model.config.views, [entity.title for entity in entities]
        texts = [entity.description for entity in entities]
        of_model = layout.max_tokens if layout.kind == "prefix" else None
        tokens = of_model or self._settings.global_tokens
        laid_out = entity_views(titles, texts, spans, layout.whole(tokens), self.model.pieces)
        views = [view for (view,) in laid_out]
        return views, self._encode([view.ids for view in views])

    def _unread_end(self, entity: Entity, view: View) -> int:
        """Characters of a description after those that a view of its beginning reads."""
        text, markers = entity.description, self.model.pieces.markers
        head = view.ids.index(markers.title_end) + 1 if markers.title_end in view.ids else 0
        read = len(view.ids) - head - len(markers.eos)
        places = self.model.pieces.offsets(text[: LETTERS * (read + 1)])
        return len(text) - places[read - 1][1] if 0 < read < len(places) else 0

    def _encode(self, ids: Sequence[list[int]], label: str | None = "encoding views") -> np.ndarray:
        return self._encoder.views(ids, label)


def _unread_sentences(spans: Sequence[Span], views: Sequence[View]) -> int:
    """Characters of sentences that are in no view."""
    read = {number for view in views for number in range(max(view.first, 0), view.last + 1)}
    return sum(end - start for n, (start, end) in enumerate(spans) if n not in read)


def _columns(entities: int, layers: Sequence[tuple[int, NewViews]]) -> dict[str, pa.Array]:
    """The columns of views, from those of each layer with its number."""
    owners = np.concatenate([new.entities for _, new in layers])
    origins = np.array([(layer, v.first, v.last) for layer, new in layers for v in new.views]).T
    vectors = np.concatenate([new.vectors for _, new in layers])
    return view_columns(entities, owners, origins, vectors)


def view_columns(
    entities: int, owners: np.ndarray, origins: Sequence[np.ndarray], vectors: np.ndarray
) -> dict[str, pa.Array]:
    """The columns of views of sentences, whose (views,) ``owners`` are rows of entities. Each has
    at least one; those of an entity stay in their order. ``origins`` are the (views,) layers, first
    and last sentences, ``vectors`` (views, d) float32.
    """
    order = np.argsort(owners, kind="stable")
    offsets = np.searchsorted(owners[order], np.arange(entities + 1))
    fields = [pa.array(column[order].astype(np.int32)) for column in origins]
    spans = pa.StructArray.from_arrays(fields, fields=list(VIEW))
    lengths = np.linalg.norm(vectors[order], axis=1)
    return {
        "spans": pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), spans),
        "views": vector_lists(vectors[order], offsets),
        "length": pa.array(np.maximum.reduceat(lengths, offsets[:-1]), pa.float32()),
    }


def sentence_column(texts: Iterable[Iterable[Span]]) -> pa.Array:
    """The column of starts and ends of each text's sentences."""
    return pa.array([list(map(tuple, spans)) for spans in texts], pa.list_(SPAN))


def vector_lists(vectors: np.ndarray, offsets: np.ndarray) -> pa.Array:
    """A column of (vectors, d) float32, a list for each entity, whose first is at its offset."""
    numbers = pa.array(np.ascontiguousarray(vectors, np.float32).ravel())
    fixed = pa.FixedSizeListArray.from_arrays(numbers, vectors.shape[1])
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), fixed)
