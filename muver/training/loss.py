"""The contrastive loss over a batch (section 2.2, "Distance Metric & Training Objectives")."""

import torch.nn.functional as F
from torch import Tensor


def in_batch_loss(scores: Tensor, gold: Tensor, mask_false_negatives: bool = False) -> Tensor:
    """Cross-entropy of every mention against the gold entities of the batch, mean over mentions.

    Parameters
    ----------
    scores : (mentions, entities)
        Scores against the distinct gold entities of the batch.
    gold : (mentions,) int64
        Column of each mention's gold.
    mask_false_negatives
        False, as released: the gold of every other mention is a negative, even where it is the
        mention's own gold once more. True: every entity counts once.

    Returns
    -------
    A scalar.
    """
    if mask_false_negatives:
        return F.cross_entropy(scores, gold)
    columns = scores[:, gold]
    return F.cross_entropy(columns, gold.new_tensor(range(len(gold))))
