"""The contrastive loss over a batch (section 2.2, "Distance Metric & Training Objectives")."""

import torch
import torch.nn.functional as F
from torch import Tensor


def in_batch_loss(scores: Tensor, gold: Tensor, mask_false_negatives: bool = False) -> Tensor:
    """Cross-entropy of every mention against the entities of the batch, mean over mentions.

    Parameters
    ----------
    scores : (mentions, entities)
        Scores against the distinct entities of the batch: golds, and hard negatives if there are
        any (appendix, "AIDA"). A hard negative is a column that is no mention's gold; it counts
        once for every mention, whichever mention it was mined for.
    gold : (mentions,) int64
        Column of each mention's gold.
    mask_false_negatives
        False, as released: the gold of every other mention is a negative, even if it is also the
        mention's own gold. True: every entity counts once.
    """
    if mask_false_negatives:
        return F.cross_entropy(scores, gold)
    columns = scores[:, gold]
    nobodys = torch.ones(scores.shape[1], dtype=torch.bool, device=gold.device)
    nobodys[gold] = False
    if nobodys.any():
        columns = torch.cat([columns, scores[:, nobodys]], dim=1)
    return F.cross_entropy(columns, gold.new_tensor(range(len(gold))))
