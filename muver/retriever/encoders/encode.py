"""Vectors and scores by a model, where and as precisely as settings say."""

from collections.abc import Callable, Sequence
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
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.encoders.model import Model
from muver.retriever.views.build import mention_contexts
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import context_ids


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


class LoadedModel:
    """A model with the precision and the batch size that it computes with.

    With ``settings`` it is read from the folder ``model`` onto the device that they ask for.
    Without any ``model`` is one that is in memory; it stays on its device, in its precision.
    """

    def __init__(self, kind: type[Model], model: Model | Path, settings: Encoding | None = None):
        self.autocast: Callable[..., Any] = nullcontext
        if settings is None:
            self.model, asked = model, "auto"
        else:
            accelerator = device.start(settings.device, settings.precision, settings.threads)
            self.autocast, asked = accelerator.autocast, settings.batch_tokens
            self.model = kind.from_pretrained(model).to(accelerator.device).eval()
        self.batch_tokens = device.batch_tokens(asked, self.model.device)


class Encoder(LoadedModel):
    """Two towers that make a vector of each text."""

    def __init__(self, model: BiEncoder | Path, settings: Encoding | None = None):
        super().__init__(BiEncoder, model, settings)
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
        with self.autocast():
            return encode_vectors(
                tower, ids, self.model.dimension, self.batch_tokens, self.model.device, label
            )
