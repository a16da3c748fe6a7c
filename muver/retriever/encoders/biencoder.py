"""Two towers, one for mentions and one for entities (section 2.2, "Dual-encoders")."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.io.files import atomic_path, read_json, write_json
from muver.retriever.encoders.card import write_model_card
from muver.retriever.encoders.files import CONFIG_FILE, TOKENIZER_FILE, TOWERS
from muver.retriever.encoders.packing import Packed
from muver.retriever.encoders.pooling import pool
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.encoders.towers import Tower, load_tower

CHOICES = {
    "score": ("max", "sum_max"),
    "metric": ("dot", "l2"),
    "pooling": ("cls", "last", "special", "span", "all", "weighted"),
}


@dataclass(frozen=True)
class ModelConfig:
    """What a model directory stores beside the weights (``muver.json``).

    Attributes
    ----------
    views
        How entities become views: ``kind`` (prefix, sentences or tokens), ``max_tokens`` and, for
        sentences, ``min_pieces``, ``title_room`` and ``training_views``; for tokens ``padding``.
        Optional: ``text`` names texts that replace those of the data, and ``prompt`` stands before
        the title.
    context
        ``max_tokens`` of a mention's context and, optionally, its ``prompt``.
    score
        ``max`` over views, or ``sum_max`` over token vectors.
    pooling
        Which states of the last layer make a vector (:mod:`muver.retriever.encoders.pooling`).
    metric
        ``dot``, or ``l2``: minus the Euclidean distance (equation 1).
    scale
        Factor between the cosine of two vectors and their dot product; each vector is brought to
        the length of its square root. For token vectors it is divided by the square root of
        ``context.max_tokens``, so that a sum of so many products spreads about as far as one
        product does. None leaves vectors as long as the states are.
    provenance
        Settings of the training run, for people.
    """

    views: dict[str, Any]
    context: dict[str, Any]
    score: str
    pooling: str = "cls"
    metric: str = "dot"
    scale: float | None = None
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"{name}: {value!r} is not one of {', '.join(allowed)}.")
        if self.score == "sum_max" and (self.metric, self.pooling) != ("dot", "cls"):
            raise InputError(
                f"score 'sum_max' compares all token vectors by their dot products, but metric is "
                f"{self.metric!r} and pooling {self.pooling!r}. Leave them out, or set score to "
                "'max'."
            )

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], provenance: dict[str, Any]
    ) -> "ModelConfig":
        """Pick the model's own keys from a stage's settings."""
        for name in ("views", "context", "score"):
            if name not in settings:
                raise InputError(f"--settings: the key {name!r} of the model is missing.")
        names = ("views", "context", "score", "pooling", "metric", "scale")
        own = {name: settings[name] for name in names if name in settings}
        return cls(**own, provenance=provenance)

    def as_dict(self) -> dict[str, Any]:
        """The content of muver.json."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    @property
    def terms(self) -> int:
        """The greatest number of products that a score sums up."""
        return self.context["max_tokens"] if self.score == "sum_max" else 1

    @property
    def pad_to(self) -> tuple[int | None, int | None]:
        """Lengths to which contexts and views are padded, if padding takes part in the score."""
        if not self.views.get("padding", False):
            return None, None
        return self.context["max_tokens"], self.views["max_tokens"]


class BiEncoder(nn.Module):
    """Mention tower and entity tower with their vocabulary and layouts.

    Vectors are states of the last layer or a mean of some, and what the encoder's makers put after
    that. A model with a scale brings all of them to one length, which is trained (as its
    logarithm).
    """

    def __init__(
        self,
        mention_encoder: Tower,
        entity_encoder: Tower,
        pieces: Pieces,
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

        Examples
        --------
        >>> folder = "build/miniwikia/current/models/muver"
        >>> model = BiEncoder.from_pretrained(folder)  # doctest: +SKIP
        """
        folder = Path(folder)
        raw = read_json(folder / CONFIG_FILE)
        try:
            config = ModelConfig(**raw)
        except TypeError as error:
            raise InputError(
                f"{folder / CONFIG_FILE}: not a model's configuration ({error})."
            ) from None
        return cls(*(load_tower(folder / tower) for tower in TOWERS), Pieces(folder), config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model directory: two Hugging Face towers, tokenizer, configuration, card."""
        folder = Path(folder)
        for name in TOWERS:
            getattr(self, name).save(folder / name)
        with atomic_path(folder / TOKENIZER_FILE) as temporary:
            temporary.write_bytes(self.pieces.path.read_bytes())
        config = self.config
        if self.log_scale is not None:
            config = replace(config, scale=math.exp(self.log_scale.item()))
        write_model_card(folder / "README.md", config.as_dict())
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
            own = getattr(self.config, name)["max_tokens"]
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
        return self._scaled(tower.project(self._pooled(tower, batch, span)))

    def _scaled(self, vectors: Tensor) -> Tensor:
        """Bring vectors to the length that the scale sets; without one they stay as they are."""
        if self.log_scale is None:
            return vectors
        length = (self.log_scale / 2 - math.log(self.config.terms) / 4).exp()
        return F.normalize(vectors.float(), dim=1) * length

    def _pooled(self, tower: Tower, batch: Packed, span: tuple[int | None, int]) -> Tensor:
        if self.config.pooling == "cls":
            return tower.first_states(batch)
        markers = self.pieces.markers
        states, ids = batch.unpack(tower.states(batch)), batch.unpack(batch.ids)
        ends = (*markers.bos, *markers.eos)
        return pool(states, ids, batch.mask, self.config.pooling, ends, span)
