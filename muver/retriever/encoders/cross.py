"""A cross-encoder: one tower reads a mention and an entity together, and scores the pair.

It is a second stage, as BLINK's (Wu et al., Scalable zero-shot entity linking with dense entity
retrieval, EMNLP 2020): slower than two towers by a pass for each pair, so it reads the candidates
of a first stage alone.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from muver.io.errors import InputError
from muver.retriever.encoders.bulk import Packed, encode_vectors
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.files import CROSS_TOWER, read_model_config
from muver.retriever.encoders.model import Model, load_tower
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World


class CrossEncoder(Model):
    """A tower that reads a context and a view together, and then compares the two halves.

    The score sums, over the context's pieces, the greatest cosine with a piece of the view, as SOM
    does over pieces that were read apart; its scale is learnt and starts as SOM's. So training
    begins with what the encoder's makers taught it. With ``decay`` the pieces near the mention
    weigh most, as a hundred far pieces outweigh the mention's own (docs/ideas.md). BLINK's
    linear layer over the first state learnt nothing on the default's data (docs/ideas.md).
    """

    towers = (CROSS_TOWER,)

    @classmethod
    def from_encoder(cls, folder: str | Path, config: ModelConfig) -> "CrossEncoder":
        """Start from an encoder's directory."""
        tower = load_tower(Path(folder))
        longest = config.context.max_tokens + config.views.max_tokens
        tower.require_positions("context.max_tokens and views.max_tokens together", longest)
        return cls([tower], Pieces(folder), config)

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "CrossEncoder":
        """Load a cross-encoder's directory; one of two towers is refused."""
        if (score := read_model_config(Path(folder)).score) != "cross":
            raise InputError(
                f"{folder}: not a cross-encoder, as its score is {score}. Expected a model whose "
                "score is cross."
            )
        return super().from_pretrained(folder)

    def forward(self, batch: Packed) -> Tensor:
        """Scores of pairs (:meth:`pairs`) as packed: (pairs, 1)."""
        markers, ids, read = self.pieces.markers, batch.unpack(batch.ids), batch.mask.bool()
        ends = torch.isin(ids, ids.new_tensor([*markers.eos, markers.title_end]))
        context = read & (ends.cumsum(dim=1) - ends.long() == 0)  # up to the first end
        states = self.cross_encoder.project(self.cross_encoder.states(batch))
        vectors = batch.unpack(F.normalize(states.float(), dim=1))
        cosines = vectors @ vectors.transpose(1, 2)
        best = cosines.masked_fill(~(read & ~context)[:, None], -1.0).amax(dim=2)
        if self.config.decay:
            around = markers.mention_start, markers.mention_end
            best = best * _near_weights(ids, *around, self.config.decay)
        sums = (best * context).sum(dim=1, keepdim=True)
        return sums * self.log_scale.exp() / math.sqrt(self.config.terms)

    def pairs(self, context: Ids, views: Sequence[Ids]) -> list[Ids]:
        """A context with each of some views: ``[CLS] context [SEP] title [ENT] text [SEP]``."""
        start = len(self.pieces.markers.bos)
        return [[*context, *view[start:]] for view in views]

    def scores_in(
        self, world: World, among: Iterable[Iterable[int]], batch_tokens: int, label: str
    ) -> list[np.ndarray]:
        """:meth:`scores` of each of a world's mentions with its entities in ``among``."""
        views = ([view.ids for e in entities for view in world.views[e]] for entities in among)
        return self.scores([*map(self.pairs, world.contexts, views)], batch_tokens, label)

    @torch.inference_mode()
    def scores(
        self, pairs: Sequence[Sequence[Ids]], batch_tokens: int, label: str | None = None
    ) -> list[np.ndarray]:
        """Scores of each mention's laid out pairs, (pairs,) float32 each; ``label`` is for progress
        lines.
        """
        flat = [pair for of_mention in pairs for pair in of_mention]
        scores = encode_vectors(self, flat, 1, batch_tokens, self.device, label)[:, 0]
        ends = accumulate(map(len, pairs), initial=0)
        return [scores[start:end] for start, end in pairwise(ends)]


def _near_weights(ids: Tensor, opening: int, closing: int, decay: float) -> Tensor:
    """exp(-d / ``decay``) of each piece, d pieces from the mention: (batch, length).

    ``opening`` and ``closing`` are the ids of the mention's markers, which weigh 1 as its own
    pieces do.
    """
    places = torch.arange(ids.shape[1], device=ids.device)
    opens = (ids == opening).int().argmax(dim=1, keepdim=True)
    closes = ((ids == closing) & (places > opens)).int().argmax(dim=1, keepdim=True)
    far = torch.maximum(opens - places, places - closes).clamp(min=0)
    return torch.exp(-far / decay)
