"""What a training lowers, a loss over the vectors of a batch, and what its validation counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import Encode, encode_vectors
from muver.retriever.encoders.scores import max_over_views, sum_of_max
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.exact import rank, rank_scores
from muver.retriever.retrieval.tokens import score_world
from muver.retriever.training.data import Batch, in_batch_loss
from muver.retriever.vectors.shards import ViewBlock, first_with_same
from muver.retriever.views.layout import Ids, flattened
from muver.retriever.views.worlds import World


class Side(NamedTuple):
    """Sequences that one encoder reads in a step.

    ``pad_to`` is as of :class:`muver.retriever.training.step.CachedEncoding`.
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

    def first(self, model: Any, world: World, k: int, batch_tokens: int) -> Sequence[np.ndarray]:
        """The first ``k`` candidates of each mention, (k,) entities or fewer; -1 is none."""
        ...


def count_hits(
    objective: Objective, model: Any, worlds: Sequence[World], cutoff: int, batch_tokens: int
) -> tuple[int, int]:
    """Count mentions whose gold title is among the first ``cutoff`` candidates of their world, and
    all. As released, the number of hits over all mentions selects the checkpoint.
    """
    model.eval()
    hits = 0
    for world in worlds:
        ranked = objective.first(model, world, cutoff, batch_tokens)
        for entities, gold in zip(ranked, world.gold, strict=True):
            found = {world.titles[entity] for entity in entities.tolist() if entity >= 0}
            hits += world.titles[gold] in found
    return hits, sum(len(world.gold) for world in worlds)


@dataclass(frozen=True)
class InBatch:
    """The cross-entropy of every mention against all entities of the batch.

    ``mask_false_negatives`` is as of :func:`muver.retriever.training.data.in_batch_loss`.
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
        if model.config.score == "sum_max":
            scores = sum_of_max(mentions, mention_mask, views, view_mask)
        else:
            numbers = [n for n, of_column in enumerate(batch.views) for _ in of_column]
            owners, columns = torch.tensor(numbers), len(batch.views)
            scores = max_over_views(mentions, views, owners, columns, model.config.metric)
        return in_batch_loss(scores, torch.as_tensor(batch.gold), self.mask_false_negatives)

    def first(self, model: BiEncoder, world: World, k: int, batch_tokens: int) -> np.ndarray:
        """As released: all views, no merging, the maximum over views."""
        candidate_of = first_with_same(world.titles)
        flat, owners = flattened(world.views)
        ids = [view.ids for view in flat]
        label = f"validation, {world.name}"
        if model.config.score == "sum_max":
            scores = score_world(model, world.contexts, ids, batch_tokens, label)
            return rank_scores(scores, candidate_of, k).entities
        where = model.dimension, batch_tokens, model.device
        views = encode_vectors(model.encode_views, ids, *where, label)
        mentions = encode_vectors(model.encode_mentions, world.contexts, *where)
        index = ViewBlock.of([views], np.array(owners), candidate_of)
        return rank(mentions, [index], k, MAX, metric=model.config.metric).entities
