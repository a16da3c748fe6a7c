"""Two towers, one for mentions and one for entities (section 2.2, "Dual-encoders")."""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from muver.retriever.encoders.bulk import Packed
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.files import TOWERS, is_model
from muver.retriever.encoders.model import Model, load_tower
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.encoders.towers import Tower
from muver.retriever.views.layout import Markers

Span = tuple[int | None, int]  # the pieces that open and close it


def pool(states: Tensor, batch: Packed, pooling: str, markers: Markers, span: Span) -> Tensor:
    """Reduce the (tokens, d) states of a batch to one vector a sequence, in the order given:
    (sequences, d).

    ``span`` opens and closes the mention or the title (None: at the first position).
    Poolings are "cls", the first position; "last", the last one; and means: "special" over what the
    tokenizer puts around a text and the span's markers, "span" over the pieces between these
    markers, "all" over all pieces, "weighted" over all with weights 1, 2, 3 ... by position.
    If a mean would be over nothing, the first position is taken.
    """
    states, ids, mask = batch.unpack(states), batch.unpack(batch.ids), batch.mask
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        return states[torch.arange(len(states)), mask.sum(dim=1).long() - 1]
    if pooling == "special":
        around = (*markers.bos, *markers.eos, *span)
        special = [marker for marker in around if marker is not None]
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


class BiEncoder(Model):
    """Mention tower and entity tower with their vocabulary and layouts.

    Vectors are states of the last layer or a mean of some, and what the encoder's makers put after
    that. A model with a scale brings all of them to one length.

    >>> folder = "build/miniwikia/current/models/muver"
    >>> model = BiEncoder.from_pretrained(folder)  # doctest: +SKIP
    """

    towers = TOWERS

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
        places = TOWERS if is_model(folder) else (".", ".")
        model = cls([load_tower(folder / place) for place in places], Pieces(folder), config)
        for part, of_index in (("context", "context_tokens"), ("views", "view_tokens")):
            setting = f"{part}.max_tokens (of an index {of_index})"
            model.require_positions(setting, getattr(config, part).max_tokens)
        return model

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
        return pool(tower.states(batch), batch, pooling, self.pieces.markers, span)
