"""A cross-encoder: one tower reads a mention and an entity together, and scores the pair.

It is BLINK's second stage (Wu et al., Scalable zero-shot entity linking with dense entity
retrieval, EMNLP 2020): slower than two towers by a pass for each pair, so it reads the candidates
of a first stage alone.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.io.files import atomic_path, read_json, write_json
from muver.io.typed import read
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.encoders.files import (
    CONFIG_FILE,
    CROSS_CARD,
    CROSS_TOWER,
    HEAD_FILE,
    TOKENIZER_FILE,
    write_model_card,
)
from muver.retriever.encoders.packing import Packed
from muver.retriever.encoders.pooling import pool_states
from muver.retriever.encoders.settings import ModelConfig
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.encoders.towers import Tower, load_tower
from muver.retriever.views.layout import Ids, pair


class CrossEncoder(nn.Module):
    """A tower and a linear layer over its pooled states."""

    def __init__(self, encoder: Tower, pieces: Pieces, config: ModelConfig):
        super().__init__()
        self.encoder, self.pieces, self.config = encoder, pieces, config
        self.head = nn.Linear(encoder.state_size, 1)

    @classmethod
    def from_encoder(cls, folder: str | Path, config: ModelConfig) -> "CrossEncoder":
        """Start from an encoder's directory, with a new linear layer."""
        model = cls(load_tower(Path(folder)), Pieces(folder), config)
        longest, most = config.context.max_tokens + config.views.max_tokens, model.encoder.positions
        if most is not None and longest > most:
            raise InputError(
                f"context.max_tokens and views.max_tokens are {longest} together, but the encoder "
                f"has {most} positions. Lower one of them."
            )
        return model

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "CrossEncoder":
        """Load a directory that :meth:`save_pretrained` wrote."""
        folder = Path(folder)
        if not (folder / HEAD_FILE).is_file():
            raise InputError(
                f"{folder}: not a cross-encoder, as it has no {HEAD_FILE}. Expected a model whose "
                "score is cross."
            )
        config = read(ModelConfig, read_json(folder / CONFIG_FILE), str(folder / CONFIG_FILE))
        model = cls(load_tower(folder / CROSS_TOWER), Pieces(folder), config)
        try:
            model.head.load_state_dict(load_file(folder / HEAD_FILE))
        except (RuntimeError, SafetensorError) as error:
            where = folder / HEAD_FILE
            raise InputError(f"{where}: its weights cannot be loaded ({error}).") from error
        return model

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the directory: tower, linear layer, tokenizer, configuration, card."""
        folder = Path(folder)
        self.encoder.save(folder / CROSS_TOWER)
        for name, content in (
            (HEAD_FILE, save(self.head.state_dict(), metadata={"format": "pt"})),
            (TOKENIZER_FILE, self.pieces.path.read_bytes()),
        ):
            with atomic_path(folder / name) as temporary:
                temporary.write_bytes(content)
        write_model_card(folder / "README.md", self.config, CROSS_CARD)
        write_json(folder / CONFIG_FILE, self.config.as_dict())

    def forward(self, batch: Packed) -> Tensor:
        """Scores of pairs (:func:`muver.retriever.views.layout.pair`) as packed: (pairs, 1)."""
        markers = self.pieces.markers
        span = (markers.mention_start, markers.mention_end)
        batch = batch.padded_with(markers.pad)
        return self.head(pool_states(self.encoder, batch, self.config.pooling, markers, span))

    def pairs(self, context: Ids, views: Sequence[Ids]) -> list[Ids]:
        """A mention's context with each of some views, laid out."""
        return [pair(context, view, self.pieces.markers) for view in views]

    @torch.inference_mode()
    def scores(
        self,
        pairs: Sequence[Sequence[Ids]],
        batch_tokens: int,
        device: torch.device,
        label: str | None = None,
    ) -> list[np.ndarray]:
        """Scores of each mention's laid out pairs, (pairs,) float32 each; ``label`` is for progress
        lines.
        """
        flat = [one for own in pairs for one in own]
        scores = encode_vectors(self, flat, 1, batch_tokens, device, label)[:, 0]
        ends = accumulate(map(len, pairs), initial=0)
        return [scores[start:end] for start, end in pairwise(ends)]
