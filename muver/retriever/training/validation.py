"""Recall on the validation worlds during training."""

import numpy as np
import torch

from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.exact import Ranking, rank, rank_scores
from muver.retriever.retrieval.tokens import score_world
from muver.retriever.vectors.block import ViewBlock, first_with_same
from muver.retriever.views.worlds import World


@torch.inference_mode()
def count_hits(
    model: BiEncoder, worlds: list[World], cutoff: int, batch_tokens: int, device: torch.device
) -> tuple[int, int]:
    """Count mentions whose gold title is among the first ``cutoff`` candidates of their world, and
    all.

    As released: all views, no merging, the maximum over views; the number of hits over all mentions
    selects the checkpoint.
    """
    model.eval()
    hits = total = 0
    for world in worlds:
        ranking = _rank(model, world, cutoff, batch_tokens, device)
        titles = np.array(world.titles, dtype=object)
        found = titles[ranking.entities] == titles[world.gold][:, None]
        hits += int((found & (ranking.entities >= 0)).any(axis=1).sum())
        total += len(world.gold)
    return hits, total


def _rank(
    model: BiEncoder, world: World, k: int, batch_tokens: int, device: torch.device
) -> Ranking:
    candidate_of = first_with_same(world.titles)
    flat = [view.ids for some in world.views for view in some]
    label = f"validation, {world.name}"
    if model.config.score == "sum_max":
        encoders = (model.encode_mentions, model.encode_views)
        where = (batch_tokens, device, label)
        scores = score_world(*encoders, world.contexts, flat, *where, pad_to=model.config.pad_to)
        return rank_scores(scores, candidate_of, k)
    where = (batch_tokens, device)
    owners = np.repeat(np.arange(len(world.views)), [len(some) for some in world.views])
    views = encode_vectors(model.encode_views, flat, model.dimension, *where, label)
    mentions = encode_vectors(model.encode_mentions, world.contexts, model.dimension, *where)
    index = ViewBlock.of([views], owners, candidate_of)
    return rank(mentions, [index], k, MAX, metric=model.config.metric)
