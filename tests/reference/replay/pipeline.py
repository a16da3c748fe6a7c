"""Runs our pipeline on a recording's inputs, from documents to merged views."""

import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from nltk.tokenize.punkt import PunktSentenceTokenizer

from muver.io.typed import read
from muver.retriever.corpus.texts import clean
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.start import take_encoder
from muver.retriever.vectors.shards import ViewBlock, first_with_same
from muver.retriever.views.build import entity_views
from muver.retriever.views.layout import Ids, View, context
from muver.retriever.views.merging import NewViews, expand_world
from muver.retriever.views.views_settings import Merging
from tests.reference.replay.recording import Recording

BATCH_TOKENS = 4096
# Constants of the released code, which a recording does not name.
MIN_PIECES = 6
TITLE_ROOM = 0
MERGED_TOKENS = 512


def load_model(encoder: Path, settings: dict[str, Any]) -> BiEncoder:
    """Two towers of a BERT directory without dropout, with the released layouts."""
    views = {
        "kind": "sentences",
        "max_tokens": settings["max_cand_len"],
        "min_pieces": MIN_PIECES,
        "title_room": TITLE_ROOM,
        "training_views": None,
    }
    layouts = {"views": views, "context": {"max_tokens": settings["max_seq_len"]}, "score": "max"}
    config = read(ModelConfig, layouts)
    with tempfile.TemporaryDirectory() as start:
        take_encoder(encoder, Path(start))
        return BiEncoder.from_encoder(Path(start), config).eval()


class Replay:
    """Our results on the recorded inputs; each step uses our results of the previous one.

    Attributes
    ----------
    candidate_of : (entities,)
        The first entity with the same title.
    """

    def __init__(self, recording: Recording, model: BiEncoder):
        self.recording, self.model = recording, model
        # More threads would change the order of sums.
        self.accelerator = device.start("cpu", "fp32", threads=1)
        self.candidate_of = first_with_same(recording.titles)

    @cached_property
    def contexts(self) -> list[Ids]:
        """Token ids of each mention's context."""
        mentions = self.recording.inputs["mentions"]
        sides = [
            self.model.pieces.ids([mention[side] for mention in mentions])
            for side in ("context_left", "mention", "context_right")
        ]
        limit = self.recording.settings["max_seq_len"]
        return [
            context(*parts, self.model.pieces.markers, limit) for parts in zip(*sides, strict=True)
        ]

    @cached_property
    def title_ids(self) -> list[Ids]:
        """Word pieces of each entity's title."""
        return self.model.pieces.ids(self.recording.titles)

    @cached_property
    def sentences(self) -> list[list[str]]:
        """Sentences of each entity's text."""
        splitter = PunktSentenceTokenizer()  # untrained, as in the recordings
        texts = [clean(document["text"]) for document in self.recording.inputs["documents"]]
        return [[text[start:end] for start, end in splitter.span_tokenize(text)] for text in texts]

    @cached_property
    def views(self) -> list[list[View]]:
        """Views of each entity."""
        return self.lay_out(self.recording.titles, self.sentences)

    def lay_out(self, titles: list[str], sentences: list[list[str]]) -> list[list[View]]:
        """Views of the given entities from their sentences."""
        texts = [""] * len(titles)
        config = self.model.config.views
        return list(entity_views(titles, texts, sentences, config, self.model.pieces))

    @cached_property
    def context_vectors(self) -> np.ndarray:
        """(mentions, d) float32 vectors of the contexts."""
        return self.encode_contexts(self.contexts)

    @cached_property
    def pool(self) -> list[NewViews]:
        """The original views with their vectors, then the views that each layer adds."""
        owners = [entity for entity, some in enumerate(self.views) for _ in some]
        views = [view for some in self.views for view in some]
        ids = [view.ids for view in views]
        original = NewViews(owners, views, self.encode_views(ids))
        return [original, *self.merge(np.array(owners), ids, original.vectors, self.encode_views)]

    def encode_contexts(self, ids: list[Ids]) -> np.ndarray:
        """(contexts, d) vectors."""
        return encode_vectors(self.model.encode_mentions, ids, self.model.dimension, BATCH_TOKENS)

    def encode_views(self, ids: list[Ids]) -> np.ndarray:
        """(views, d) vectors."""
        return encode_vectors(self.model.encode_views, ids, self.model.dimension, BATCH_TOKENS)

    def merge(
        self, owners: np.ndarray, ids: list[Ids], vectors: np.ndarray, encode: Any
    ) -> list[NewViews]:
        """Merge as recorded (:func:`muver.retriever.views.merging.expand_world`), with the numbers
        of original views in place of their sentences.
        """
        positions = self.model.entity_encoder.config.max_position_embeddings
        settings = Merging(
            layers=len(self.recording.entities[0]["merged"]),
            top_k=self.recording.settings["top_k"],
            pairs="distant",
            among="neighbours",
            max_tokens=min(MERGED_TOKENS, positions),
        )
        places = (np.arange(len(owners)) - np.searchsorted(owners, owners)).tolist()
        views = [View(*of_view) for of_view in zip(ids, places, places, strict=True)]
        return expand_world(owners, views, vectors, encode, self.model.pieces.markers, settings)

    def index(self, layers: int, candidate_of: np.ndarray) -> ViewBlock:
        """All views after ``layers`` layers of merging, grouped by candidate."""
        parts = self.pool[: layers + 1]
        owners = np.concatenate([np.array(part.entities, dtype=np.int64) for part in parts])
        return ViewBlock.of([part.vectors for part in parts], owners, candidate_of)

    def scores(self, layers: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores of each mention with all views after ``layers`` layers of merging.

        Returns
        -------
        (mentions, views) dot products in double precision, so that only the recorded ones are
        rounded; (views,) the entity of each view.
        """
        index = self.index(layers, np.arange(len(self.candidate_of)))
        return self.context_vectors.astype(np.float64) @ index.vectors.T, index.owners
