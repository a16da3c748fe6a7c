"""What a training lowers: a loss over the vectors of a batch's sequences."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import Encode
from muver.retriever.encoders.scores import max_over_views, sum_of_max
from muver.retriever.training.batches import in_batch_loss
from muver.retriever.training.data import Batch
from muver.retriever.training.validation import count_hits
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World


class Side(NamedTuple):
    """Sequences that one encoder reads in a step.

    ``pad_to`` is as of :class:`muver.retriever.training.caching.CachedEncoding`.
    """

    encode: Encode
    sequences: Sequence[Ids]
    pad_to: int | None = None


class Objective(Protocol):
    """A loss for a kind of model, and what validation counts."""

    def sides(self, model: Any, batch: Batch) -> list[Side]:
        """The sequences of a batch that are encoded."""
        ...

    def loss(self, model: Any, batch: Batch, *encoded: Tensor) -> Tensor:
        """The loss of a batch from the vectors and the mask of each side."""
        ...

    def hits(
        self, model: Any, worlds: list[World], cutoff: int, batch_tokens: int, device: torch.device
    ) -> tuple[int, int]:
        """Mentions whose gold is among the first ``cutoff`` candidates, and all mentions."""
        ...


@dataclass(frozen=True)
class InBatch:
    """The cross-entropy of every mention against all entities of the batch.

    ``mask_false_negatives`` is as of :func:`muver.retriever.training.batches.in_batch_loss`.
    """

    mask_false_negatives: bool = False

    def sides(self, model: BiEncoder, batch: Batch) -> list[Side]:
        pad_contexts, pad_views = model.config.pad_to
        flat = [*chain.from_iterable(batch.views)]
        return [
            Side(model.encode_mentions, batch.contexts, pad_contexts),
            Side(model.encode_views, flat, pad_views),
        ]

    def loss(
        self, model: BiEncoder, batch: Batch,
        mentions: Tensor, mention_mask: Tensor, views: Tensor, view_mask: Tensor,
    ) -> Tensor:  # fmt: skip
        gold = torch.as_tensor(batch.gold, device=views.device)
        if model.config.score == "sum_max":
            scores = sum_of_max(mentions, mention_mask, views, view_mask)
        else:
            numbers = [n for n, some in enumerate(batch.views) for _ in some]
            owners = torch.tensor(numbers, device=views.device)
            columns = len(batch.views)
            scores = max_over_views(mentions, views, owners, columns, model.config.metric)
        return in_batch_loss(scores, gold, self.mask_false_negatives)

    def hits(
        self, model: BiEncoder, worlds: list[World], cutoff: int, batch_tokens: int,
        device: torch.device,
    ) -> tuple[int, int]:  # fmt: skip
        return count_hits(model, worlds, cutoff, batch_tokens, device)
