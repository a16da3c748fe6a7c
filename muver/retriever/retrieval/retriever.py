"""Vectors of mentions, by a model."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from muver.io.errors import InputError
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.retrieval.answers import SIDES, Mention, check_texts
from muver.retriever.views.build import mention_contexts

BATCH_TOKENS = 4096


@torch.inference_mode()
def encode(mentions: Sequence[Mention], model: BiEncoder | str | Path) -> np.ndarray:
    """(mentions, d) float32 vectors of mentions in their contexts; texts are lower-cased.

    ``model`` is one that is loaded, which computes where it lies, or a model's directory. Raises an
    InputError for a model of token vectors, which gives no single one.
    """
    check_texts(mentions)
    if not isinstance(model, BiEncoder):
        model = BiEncoder.from_pretrained(model).eval()
    if model.config.score == "sum_max":
        raise InputError("the model compares token vectors. Take one that makes one vector a text.")
    sides = ([getattr(mention, side).lower() for mention in mentions] for side in SIDES)
    ids = mention_contexts(*sides, model.config.context, model.pieces)
    device = next(model.parameters()).device
    return encode_vectors(model.encode_mentions, ids, model.dimension, BATCH_TOKENS, device)
