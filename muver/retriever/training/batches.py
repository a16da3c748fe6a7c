"""In-batch negatives: batches of one world's mentions, and the contrastive loss over them."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


def epoch_batches(
    mentions_by_world: Mapping[str, Sequence[int]], batch_size: int, seed: int, epoch: int
) -> list[np.ndarray]:
    """Draw one epoch's batches of mention numbers, so that negatives come from the mention's world.

    As released: a world is drawn uniformly among those not yet exhausted, not by its size; its
    mentions follow a permutation that is new in each epoch; the last batch of a world is short. The
    draw depends only on the seed and the epoch, so a resumed run sees the same batches.
    """
    random = np.random.Generator(np.random.PCG64([seed, epoch]))
    worlds = sorted(mentions_by_world)
    waiting = {w: random.permutation(np.asarray(mentions_by_world[w])) for w in worlds}
    batches = []
    while worlds:
        world = worlds[int(random.integers(len(worlds)))]
        batches.append(waiting[world][:batch_size])
        waiting[world] = waiting[world][batch_size:]
        if not len(waiting[world]):
            worlds.remove(world)
    return batches


def in_batch_loss(scores: Tensor, gold: Tensor, mask_false_negatives: bool = False) -> Tensor:
    """Cross-entropy of every mention against the entities of the batch, mean over mentions.

    (Section 2.2, "Distance Metric & Training Objectives".) ``scores``, (mentions, entities), are
    against the distinct entities of the batch: golds, and hard negatives if there are any
    (appendix, "AIDA"). A hard negative is a column that is no mention's gold; it counts once for
    every mention, whichever mention it was mined for. ``gold``, (mentions,) int64, is the column of
    each one's gold.

    As released, the gold of every other mention is a negative, even if it is also the mention's own
    gold. With ``mask_false_negatives`` every entity counts once.
    """
    if mask_false_negatives:
        return F.cross_entropy(scores, gold)
    columns = scores[:, gold]
    nobodys = torch.ones(scores.shape[1], dtype=torch.bool, device=gold.device)
    nobodys[gold] = False
    if nobodys.any():
        columns = torch.cat([columns, scores[:, nobodys]], dim=1)
    return F.cross_entropy(columns, gold.new_tensor(range(len(gold))))
