"""Vectors and scores by a model, where and as precisely as settings say."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.retriever.answers import SIDES, Mention, check_texts
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import Encode, encode_vectors
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.views.build import mention_contexts
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World, context_ids


def encode(
    mentions: Sequence[Mention] | pa.Table, model: "BiEncoder | Encoder | str | Path"
) -> np.ndarray:
    """(mentions, d) float32 vectors of mentions in their contexts.

    Texts of a :class:`muver.Mention` are lower-cased, as the corpus's tables of mentions are.
    ``model`` is one that is loaded, which computes where it lies, or a model's directory. Raises an
    InputError for a model of token vectors, which gives no single one.
    """
    if isinstance(model, str | Path):
        model = BiEncoder.from_pretrained(model).eval()
    encoder = model if isinstance(model, Encoder) else Encoder(model)
    pieces, layout = encoder.model.pieces, encoder.model.config.context
    if isinstance(mentions, pa.Table):
        contexts = context_ids(mentions, pieces, layout)
    else:
        check_texts(mentions)
        sides = ([getattr(mention, side).lower() for mention in mentions] for side in SIDES)
        contexts = mention_contexts(*sides, layout, pieces)
    return encoder.vectors(encoder.model.encode_mentions, contexts)


class Encoder:
    """Two towers that are loaded, or those in a folder on the device that the settings name."""

    def __init__(self, model: BiEncoder | Path, settings: Encoding | None = None):
        self._run: Callable[..., Any] = nullcontext
        if settings is None:
            self.model, self._device = model, next(model.parameters()).device
            self._batch_tokens = device.BATCH_TOKENS[self._device.type]
        else:
            accelerator = device.start(settings.device, settings.precision, settings.threads)
            self._run, self._device = accelerator.autocast, accelerator.device
            self._batch_tokens = device.batch_tokens(settings.batch_tokens, self._device)
            self.model = BiEncoder.from_pretrained(model).to(self._device).eval()
        if self.model.config.score == "sum_max":
            raise InputError(
                f"{model if settings else 'the model'}: compares token vectors, which are not "
                "stored. Take a model that makes one vector a text, or rank with `muver stage "
                "retrieve --kind tokens`."
            )

    def views(self, ids: Sequence[Ids], label: str | None) -> np.ndarray:
        """Vectors of views: (views, d). Progress lines have the name ``label``; None shows none."""
        return self.vectors(self.model.encode_views, ids, label)

    def vectors(self, tower: Encode, ids: Sequence[Ids], label: str | None = None) -> np.ndarray:
        """(texts, d) float32 vectors of texts by one of the model's towers."""
        where = self._batch_tokens, self._device, label
        with self._run():
            return encode_vectors(tower, ids, self.model.dimension, *where)


class PairScorer:
    """A cross-encoder on the device and with the batch size that the settings ask for."""

    def __init__(self, folder: Path, settings: Encoding):
        self._accelerator = device.start(settings.device, settings.precision, settings.threads)
        self._batch_tokens = device.batch_tokens(settings.batch_tokens, self._accelerator.device)
        self.model = CrossEncoder.from_pretrained(folder).to(self._accelerator.device).eval()

    def scores(self, world: World, among: Sequence[Iterable[int]]) -> list[np.ndarray]:
        """Scores of each mention with its entities in ``among``: (entities,) float32 each."""
        pairs = [self.model.pairs_in(world, *candidates) for candidates in enumerate(among)]
        where = (self._batch_tokens, self._accelerator.device, f"pairs of {world.name}")
        with self._accelerator.autocast():
            return self.model.scores(pairs, *where)
