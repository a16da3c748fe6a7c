"""Two towers, one for mentions and one for entities (section 2.2, "Dual-encoders")."""

import math
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from msgspec.structs import replace
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.io.files import copy, read_json, write_json
from muver.io.typed import read
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.bulk import Packed
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.files import (
    CONFIG_FILE,
    TOKENIZER_FILE,
    TOWER_FILES,
    TOWERS,
    is_model,
    write_model_card,
)
from muver.retriever.encoders.sizes import is_packed
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.encoders.towers import Tower

Span = tuple[int | None, int]  # the pieces that open and close it


def pool(
    states: Tensor,
    ids: Tensor,
    mask: Tensor,
    pooling: str,
    ends: tuple[int, ...],
    span: Span,
) -> Tensor:
    """Reduce the (batch, length, d) states of each sequence to one vector: (batch, d).

    ``ids`` and ``mask``, (batch, length), are its pieces, and 1 at attended ones. ``ends`` are what
    the tokenizer puts around a text, ``[CLS]`` and ``[SEP]``; ``span`` opens and closes the mention
    or the title (None: at the first position).
    Poolings are "cls", the first position; "last", the last one; and means: "special" over ends and
    span markers, "span" over the pieces between these markers, "all" over all pieces, "weighted"
    over all with weights 1, 2, 3 ... by position.
    If a mean would be over nothing, the first position is taken.
    """
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        return states[torch.arange(len(states)), mask.sum(dim=1).long() - 1]
    if pooling == "special":
        special = [marker for marker in (*ends, *span) if marker is not None]
        chosen = torch.isin(ids, ids.new_tensor(special))
    elif pooling == "span":
        chosen = _between(ids, *span)
    else:
        chosen = torch.ones_like(ids, dtype=torch.bool)
    chosen = chosen & mask.bool()
    chosen[:, 0] |= ~chosen.any(dim=1)
    if pooling == "weighted":
        chosen = chosen.cumsum(dim=1) * chosen
    weights = (chosen / chosen.sum(dim=1, keepdim=True))[:, :, None]
    return (states.float() * weights).sum(dim=1)


def _between(ids: Tensor, opening: int | None, closing: int) -> Tensor:
    """Positions after the first opening piece and before the first closing piece behind it."""
    if opening is None:
        inside = torch.ones_like(ids, dtype=torch.bool)
    else:
        opens = ids == opening
        inside = (opens.cumsum(dim=1) - opens.long()) > 0
    closed = ((ids == closing) & inside).cumsum(dim=1) > 0
    return inside & ~closed & closed[:, -1:]


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

    @property
    def dimension(self) -> int:
        """Of a vector."""
        return self.entity_encoder.dimension

    @classmethod
    def from_encoder(cls, folder: str | Path, config: ModelConfig) -> "BiEncoder":
        """A model of ``config`` with the weights and the vocabulary in ``folder``.

        Both towers start from an encoder's directory and share no weights. If ``folder`` is a
        model's, they are its own; its views, context, pooling and score are ignored.
        """
        folder = Path(folder)
        towers = TOWERS if is_model(folder) else (".", ".")
        model = cls(*(load_tower(folder / tower) for tower in towers), Pieces(folder), config)
        for part, of_index in (("context", "context_tokens"), ("views", "view_tokens")):
            setting = f"{part}.max_tokens (of an index {of_index})"
            model.require_positions(setting, getattr(config, part).max_tokens)
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
        copy(self.pieces.path, folder / TOKENIZER_FILE)
        config = self.config
        if self.log_scale is not None:
            config = replace(config, scale=math.exp(self.log_scale.item()))
        write_model_card(folder / "README.md", config)
        write_json(folder / CONFIG_FILE, config.as_dict())

    def require_positions(self, setting: str, tokens: int) -> None:
        """:meth:`.towers.Tower.require_positions` of both towers."""
        for tower in (self.mention_encoder, self.entity_encoder):
            tower.require_positions(setting, tokens)

    def encode_mentions(self, batch: Packed) -> Tensor:
        """Vectors of contexts in the order given: (batch, d), or (batch, longest, d)."""
        markers = self.pieces.markers
        span = (markers.mention_start, markers.mention_end)
        return self._encode(self.mention_encoder, batch, span)

    def encode_views(self, batch: Packed) -> Tensor:
        """Vectors of views in the order given: (batch, d), or (batch, longest, d)."""
        markers = self.pieces.markers
        span = (markers.before_text, markers.title_end)
        return self._encode(self.entity_encoder, batch, span)

    def _encode(self, tower: Tower, batch: Packed, span: Span) -> Tensor:
        batch = batch.padded_with(self.pieces.markers.pad)
        if self.config.score == "sum_max":
            return batch.unpack(self._scaled(tower.project(tower.states(batch))))
        return self._scaled(tower.project(self._pooled(tower, batch, span)))

    def _scaled(self, vectors: Tensor) -> Tensor:
        """Bring vectors to the length that the scale sets; without one they stay as they are."""
        if self.log_scale is None:
            return vectors
        length = (self.log_scale / 2 - math.log(self.config.terms) / 4).exp()
        return F.normalize(vectors.float(), dim=-1) * length

    def _pooled(self, tower: Tower, batch: Packed, span: Span) -> Tensor:
        pooling = self.config.pooling
        if pooling == "cls":
            return tower.first_states(batch)
        states, ids = batch.unpack(tower.states(batch)), batch.unpack(batch.ids)
        ends = (*self.pieces.markers.bos, *self.pieces.markers.eos)
        return pool(states, ids, batch.mask, pooling, ends, span)


def load_tower(folder: Path) -> Tower:
    """Load what :meth:`Tower.save` wrote, in float32."""
    for file in TOWER_FILES:
        if not (folder / file).is_file():
            raise InputError(f"{folder / file}: no such file. Expected an encoder's directory.")
    return _kind(folder).load(folder)


def empty_tower(folder: Path) -> Tower:
    """A tower of the sizes in ``config.json``, without weights or memory for them."""
    with torch.device("meta"):
        return _kind(folder).empty(folder)


def _kind(folder: Path) -> Any:
    if is_packed(read_json(folder / "config.json")):
        return Bert
    from muver.retriever.encoders.library import Library  # takes seconds to import

    return Library
