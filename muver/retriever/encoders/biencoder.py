"""Two BERT towers, one for mentions and one for entities (section 2.2, "Dual-encoders")."""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from msgspec.structs import replace
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.io.files import atomic_path, read_json, write_json
from muver.io.typed import read
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.card import write_model_card
from muver.retriever.encoders.files import CONFIG_FILE, TOKENIZER_FILE, TOWERS
from muver.retriever.encoders.packing import Packed
from muver.retriever.encoders.pooling import pool
from muver.retriever.encoders.settings import ModelConfig
from muver.retriever.encoders.tokens import WordPieces
from muver.retriever.encoders.towers import load_tower, save_tower


class BiEncoder(nn.Module):
    """Mention tower and entity tower with their vocabulary and layouts.

    Vectors are states of the last layer or a mean of some, without a projection. A model with a
    scale brings all of them to one length, which is trained (as its logarithm).
    """

    def __init__(
        self,
        mention_encoder: Bert,
        entity_encoder: Bert,
        pieces: WordPieces,
        config: ModelConfig,
    ):
        super().__init__()
        self.mention_encoder = mention_encoder
        self.entity_encoder = entity_encoder
        self.pieces = pieces
        self.config = config
        scale = config.scale
        self.log_scale = nn.Parameter(torch.tensor(math.log(scale))) if scale else None

    @property
    def dimension(self) -> int:
        return self.entity_encoder.config.hidden_size

    @classmethod
    def from_encoder(cls, folder: str | Path, config: ModelConfig) -> "BiEncoder":
        """Start both towers from the same BERT directory; they share no weights."""
        model = cls(*(load_tower(Path(folder)) for _ in TOWERS), WordPieces(folder), config)
        model.require_positions("views.max_tokens", config.views.max_tokens)
        model.require_positions("context.max_tokens", config.context.max_tokens)
        return model

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "BiEncoder":
        """Load a model directory that :meth:`save_pretrained` wrote.

        Examples
        --------
        >>> folder = "build/miniwikia/current/models/muver"
        >>> model = BiEncoder.from_pretrained(folder)  # doctest: +SKIP
        """
        folder = Path(folder)
        config = read(ModelConfig, read_json(folder / CONFIG_FILE), str(folder / CONFIG_FILE))
        return cls(*(load_tower(folder / tower) for tower in TOWERS), WordPieces(folder), config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model directory: two Hugging Face towers, tokenizer, configuration, card."""
        folder = Path(folder)
        for name in TOWERS:
            save_tower(getattr(self, name), folder / name)
        with atomic_path(folder / TOKENIZER_FILE) as temporary:
            temporary.write_bytes(self.pieces.path.read_bytes())
        config = self.config
        if self.log_scale is not None:
            config = replace(config, scale=math.exp(self.log_scale.item()))
        write_model_card(folder / "README.md", config)
        write_json(folder / CONFIG_FILE, config.as_dict())

    def require_positions(self, setting: str, tokens: int) -> None:
        """Refuse a setting with longer sequences than the encoder has positions."""
        limit = self.entity_encoder.config.max_position_embeddings
        if tokens > limit:
            raise InputError(
                f"{setting} is {tokens}, but the encoder has {limit} positions. Lower it or "
                "choose another encoder."
            )

    def encode_mentions(self, batch: Packed) -> Tensor:
        """Vectors of contexts in the order given: (batch, d), or (batch, longest, d)."""
        markers = self.pieces.markers
        return self._encode(
            self.mention_encoder, batch, (markers.mention_start, markers.mention_end)
        )

    def encode_views(self, batch: Packed) -> Tensor:
        """Vectors of views in the order given: (batch, d), or (batch, longest, d)."""
        markers = self.pieces.markers
        return self._encode(self.entity_encoder, batch, (markers.cls, markers.title_end))

    def _encode(self, tower: Bert, batch: Packed, span: tuple[int, int]) -> Tensor:
        if self.config.score == "sum_max":
            return batch.unpack(self._scaled(tower.states(batch)))
        return self._scaled(self._pooled(tower, batch, span))

    def _scaled(self, vectors: Tensor) -> Tensor:
        """Bring vectors to the length that the scale sets; without one they stay as they are."""
        if self.log_scale is None:
            return vectors
        length = (self.log_scale / 2 - math.log(self.config.terms) / 4).exp()
        return F.normalize(vectors.float(), dim=1) * length

    def _pooled(self, tower: Bert, batch: Packed, span: tuple[int, int]) -> Tensor:
        if self.config.pooling == "cls":
            return tower.first_states(batch)
        ends = (self.pieces.markers.cls, self.pieces.markers.sep)
        states, ids = batch.unpack(tower.states(batch)), batch.unpack(batch.ids)
        return pool(states, ids, batch.mask, self.config.pooling, ends, span)
