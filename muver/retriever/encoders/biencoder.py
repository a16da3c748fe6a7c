"""Two towers, one for mentions and one for entities (section 2.2, "Dual-encoders")."""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from msgspec.structs import replace
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.io.files import atomic_path, read_json, write_json
from muver.io.typed import read
from muver.retriever.encoders.files import CONFIG_FILE, TOKENIZER_FILE, TOWERS, write_model_card
from muver.retriever.encoders.packing import Packed
from muver.retriever.encoders.pooling import pool_states
from muver.retriever.encoders.scores import LogMeanExp
from muver.retriever.encoders.settings import ModelConfig
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.encoders.towers import Tower, load_tower


class BiEncoder(nn.Module):
    """Mention tower and entity tower with their vocabulary and layouts.

    Vectors are states of the last layer or a mean of some, and what the encoder's makers put after
    that. A model with a scale brings all of them to one length, which is trained (as its
    logarithm).
    """

    def __init__(
        self, mention_encoder: Tower, entity_encoder: Tower, pieces: Pieces, config: ModelConfig
    ):
        super().__init__()
        self.mention_encoder = mention_encoder
        self.entity_encoder = entity_encoder
        self.pieces = pieces
        self.config = config
        scale = config.scale
        self.log_scale = nn.Parameter(torch.tensor(math.log(scale))) if scale else None
        learnt = config.score == "log_mean_exp"
        self.aggregate = LogMeanExp(config.temperature, config.length_bias) if learnt else None

    @property
    def dimension(self) -> int:
        """Of a vector."""
        return self.entity_encoder.dimension

    @classmethod
    def from_encoder(cls, folder: str | Path, config: ModelConfig) -> "BiEncoder":
        """Start both towers from the same encoder's directory; they share no weights."""
        model = cls(*(load_tower(Path(folder)) for _ in TOWERS), Pieces(folder), config)
        model.require_layouts()
        return model

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "BiEncoder":
        """Load a model directory that :meth:`save_pretrained` wrote.

        >>> folder = "build/miniwikia/current/models/muver"
        >>> model = BiEncoder.from_pretrained(folder)  # doctest: +SKIP
        """
        folder = Path(folder)
        config = read(ModelConfig, read_json(folder / CONFIG_FILE), str(folder / CONFIG_FILE))
        return cls(*(load_tower(folder / tower) for tower in TOWERS), Pieces(folder), config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model directory: two Hugging Face towers, tokenizer, configuration, card."""
        folder = Path(folder)
        for name in TOWERS:
            getattr(self, name).save(folder / name)
        with atomic_path(folder / TOKENIZER_FILE) as temporary:
            temporary.write_bytes(self.pieces.path.read_bytes())
        config = replace(self.config, **self.aggregate.values) if self.aggregate else self.config
        if self.log_scale is not None:
            config = replace(config, scale=math.exp(self.log_scale.item()))
        write_model_card(folder / "README.md", config)
        write_json(folder / CONFIG_FILE, config.as_dict())

    def require_positions(self, setting: str, tokens: int) -> None:
        """Refuse a setting with longer sequences than the encoder has positions."""
        for tower in (self.mention_encoder, self.entity_encoder):
            if tower.positions is not None and tokens > tower.positions:
                raise InputError(
                    f"{setting} is {tokens}, but the encoder has {tower.positions} positions. "
                    "Lower it or choose another encoder."
                )

    def require_layouts(self) -> None:
        """Refuse contexts and views that are longer than the encoder has positions."""
        for name in ("context", "views"):
            own = getattr(self.config, name).max_tokens
            self.require_positions(f"{name}.max_tokens", own)

    def encode_mentions(self, batch: Packed) -> Tensor:
        """Vectors of contexts in the order given: (batch, d), or (batch, longest, d)."""
        markers = self.pieces.markers
        span = (markers.mention_start, markers.mention_end)
        return self._encode(self.mention_encoder, batch, span)

    def encode_views(self, batch: Packed) -> Tensor:
        """Vectors of views in the order given: (batch, d), or (batch, longest, d)."""
        markers = self.pieces.markers
        opening = markers.bos[-1] if markers.bos else None
        return self._encode(self.entity_encoder, batch, (opening, markers.title_end))

    def _encode(self, tower: Tower, batch: Packed, span: tuple[int | None, int]) -> Tensor:
        batch = batch.padded_with(self.pieces.markers.pad)
        if self.config.score == "sum_max":
            return batch.unpack(self._scaled(tower.project(tower.states(batch))))
        pooled = pool_states(tower, batch, self.config.pooling, self.pieces.markers, span)
        return self._scaled(tower.project(pooled))

    def _scaled(self, vectors: Tensor) -> Tensor:
        """Bring vectors to the length that the scale sets; without one they stay as they are."""
        if self.log_scale is None:
            return vectors
        length = (self.log_scale / 2 - math.log(self.config.terms) / 4).exp()
        return F.normalize(vectors.float(), dim=1) * length
