"""What an index encodes with: a copy of a trained model or two towers from an encoder, and the
parameters of Punkt by which descriptions are split into sentences.

The sentences of a description must not depend on other entities, so nothing is learnt from these.
Without parameters of one's own, a full stop ends a sentence where white space and no lower-case
letter follow, but not after the abbreviations below.
"""

import shutil
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from msgspec.structs import replace
from nltk.tokenize.punkt import PunktParameters

from muver.io.checking import disk_errors
from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.typed import read
from muver.kb.index.entity import Entity
from muver.kb.index.machinery import load_model
from muver.kb.index.segments import SPAN, VIEW
from muver.kb.index.settings import Making
from muver.kb.index.state import MODEL, PUNKT, Model
from muver.retriever.corpus.texts import clean
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.encoders.device import BATCH_TOKENS
from muver.retriever.encoders.files import MODEL_FILES, is_model
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.hub import NotCached, pinned
from muver.retriever.encoders.settings import ModelConfig
from muver.retriever.encoders.start import make_start
from muver.retriever.retrieval.rows import GLOBAL, ORIGINAL
from muver.retriever.training.start import as_the_makers, makers_vectors
from muver.retriever.views import punkt
from muver.retriever.views.build import entity_views
from muver.retriever.views.expand import expand_world
from muver.retriever.views.files import punkt_fingerprint
from muver.retriever.views.layout import View
from muver.retriever.views.segment import Span, sentence_spans
from muver.retriever.views.settings import Merging, Views

SCALE = 20.0  # of the product of two vectors that are brought to one length
LAYOUT = {"kind": "sentences", "min_pieces": 6, "title_room": 6, "training_views": None}
ABBREVIATIONS = """
adm al apr aug ave blvd bros c ca capt cf ch cmdr co col corp dec dept dr e.g ed eds esp est etc feb
fig figs fl gen gov hon i.e inc jan jr jul jun lt ltd maj mar max messrs min mr mrs ms mt no nos nov
oct op p pl pp prof pt rd ref rep rev sen sep sept sgt sr st u.k u.s vol vols vs
"""


def keep(
    source: str, folder: Path, settings: Making, parameters: str | Path | None
) -> tuple[Model, BiEncoder]:
    """Write a model and parameters of Punkt into an index: what its state says of them, and the
    model.

    ``source`` is a model's or an encoder's directory, or a name on the hub. ``parameters`` is a
    folder such as that of `muver stage segment`, or None for our abbreviations.
    """
    place = folder / MODEL
    trained = Path(source).is_dir() and is_model(Path(source))
    with disk_errors(place, "Nothing was changed."):
        if trained:
            _copy(Path(source), place)
        else:
            _save_untrained(source, place, settings)
    model = load_model(place, BiEncoder)
    config, views = model.config, kinds(settings, model.config)
    if config.score == "sum_max":
        raise InputError(
            f"--model {source}: sums the scores of a mention's token vectors, and an index "
            "compares one vector a mention. Choose a model that makes one."
        )
    if settings.global_view and (views != ("sentences",) or config.metric != "dot"):
        raise InputError(
            f"global_view adds to views of sentences, which products compare, and {source} with "
            f"these settings has views of the kind {' and '.join(views)}, and metric "
            f"{config.metric}. Leave it out."
        )
    if (settings.global_view or "global" in views) and config.views.kind != "prefix":
        model.require_positions("global_tokens", settings.global_tokens)
    if settings.merge:
        model.require_positions("merged_tokens", settings.merged_tokens)
    kept = Model(
        name=pinned(source),
        fingerprint=model_fingerprint(place),
        trained=trained,
        punkt=_keep_punkt(parameters, folder / PUNKT),
        dimension=model.dimension,
        metric=config.metric,
        kinds=" and ".join(views),
    )
    return kept, model


def kinds(settings: Making, config: ModelConfig) -> tuple[str, ...]:
    """The kinds of views, ``sentences`` before ``global``; by default those of the training."""
    trained_on = "global" if config.views.kind == "prefix" else "sentences"
    wanted = settings.views or ("sentences" if settings.merge else trained_on)
    return ("sentences", "global") if wanted == "both" else (wanted,)


def _copy(source: Path, folder: Path) -> None:
    model_fingerprint(source)  # looks whether all is there
    for name in MODEL_FILES:
        if (source / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, folder / name)


def _save_untrained(source: str, folder: Path, settings: Making) -> None:
    """Write both towers as the encoder's makers left it, pooled as they do."""
    with tempfile.TemporaryDirectory() as name:
        start = Path(name)
        known = _taken(source, start)
        asked = {
            "views": {**LAYOUT, "max_tokens": settings.view_tokens},
            "context": {"max_tokens": settings.context_tokens},
            "score": "max",
        }
        config = read(ModelConfig, asked)
        if known:
            scale = SCALE if makers_vectors(start)["normalised"] else None
            config = as_the_makers(config, start, scale)
        config = replace(config, provenance={"untrained": source})
        model = BiEncoder.from_encoder(start, config)
        model.save_pretrained(folder)
    logger.info(
        "%s is an encoder that has not been trained to find entities: its vectors are compared "
        "as they are",
        source,
    )


def _taken(source: str, start: Path) -> bool:
    """Take an encoder; whether it is known how its makers pool. If the hub cannot be asked, it is
    taken as a plain one, whose first state is its vector.
    """
    try:
        make_start(source, start, {"pooling": "auto"})
    except NotCached:
        make_start(source, start, {})
        logger.warning(
            "%s: whether it has files of sentence-transformers is not known here without the "
            "network; it is taken without: the state of [CLS] is its vector",
            source,
        )
        return False
    return True


def _keep_punkt(given: str | Path | None, folder: Path) -> str:
    if given is None:
        parameters = PunktParameters()
        parameters.abbrev_types = set(ABBREVIATIONS.split())
    elif Path(given).is_dir():
        parameters = punkt.load(given)
    else:
        raise InputError(f"--punkt {given}: no such folder.")
    punkt.save(parameters, folder)
    return punkt_fingerprint(folder)


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
        if weight := self._settings.global_view:
            whole = weight * self._of_descriptions(entities, spans).vectors
            made = [one._replace(vectors=one.vectors + whole[one.owners]) for one in made]
        return _columns(len(entities), spans, made)

    def _of_sentences(
        self, entities: Sequence[Entity], texts: Sequence[str], spans: Sequence[Sequence[Span]]
    ) -> list[_Made]:
        sentences = [
            [text[start:end] for start, end in own] for text, own in zip(texts, spans, strict=True)
        ]
        titles = [entity.title for entity in entities]
        own, layout = self._settings, self.model.config.views
        if layout.kind != "sentences":
            layout = Views(**LAYOUT, max_tokens=own.view_tokens, prompt=layout.prompt)
        views = list(entity_views(titles, texts, sentences, layout, self.model.pieces))
        owners = [row for row, own in enumerate(views) for _ in own]
        flat = [view for own in views for view in own]
        ids = [view.ids for view in flat]
        vectors = self._encode(ids)
        made = [_Made(ORIGINAL, owners, flat, vectors)]
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
        layout, titles = self.model.config.views, [entity.title for entity in entities]
        texts = [entity.description for entity in entities]
        of_model = layout.max_tokens if layout.kind == "prefix" else None
        tokens = of_model or self._settings.global_tokens
        laid_out = entity_views(titles, texts, spans, layout.whole(tokens), self.model.pieces)
        views = [view for (view,) in laid_out]
        vectors = self._encode([view.ids for view in views])
        return _Made(GLOBAL, list(range(len(views))), views, vectors)

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
