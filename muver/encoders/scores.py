"""Scores between mentions and entities, from the vectors of their two towers."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def similarities(mentions: Tensor, views: Tensor, metric: str = "dot") -> Tensor:
    """Similarity of every mention with every view.

    Parameters
    ----------
    mentions : (mentions, d)
    views : (views, d)
    metric
        "dot", or "l2": minus the Euclidean distance (equation 1), whose gradient at distance 0
        is taken to be 0.

    Returns
    -------
    (mentions, views)
    """
    if metric == "l2":
        # Not by way of a matrix product, which loses the digits of small distances.
        return -torch.cdist(mentions, views, compute_mode="donot_use_mm_for_euclid_dist")
    return mentions @ views.T


def best_views(
    mentions: Tensor, views: Tensor, owners: Tensor, entities: int, metric: str = "dot"
) -> tuple[Tensor, Tensor]:
    """Greatest similarity of a mention with any view of an entity (equation 4), and that view.

    Parameters
    ----------
    mentions : (mentions, d)
    views : (views, d)
        Views of all entities, the views of one entity next to each other.
    owners : (views,) int64
        Entity of each view, 0 .. entities - 1, non-decreasing; every entity has a view.
    metric
        As for :func:`similarities`.

    Returns
    -------
    (mentions, entities) scores. The gradient goes to the winning view; of equal ones to the first.
    (mentions, entities) int64: which of the entity's own views won, from 0.

    Examples
    --------
    >>> views, owners = torch.tensor([[1.0], [3.0], [2.0]]), torch.tensor([0, 0, 1])
    >>> scores, winners = best_views(torch.tensor([[2.0]]), views, owners, entities=2)
    >>> scores.tolist(), winners.tolist()
    ([[6.0, 4.0]], [[1, 0]])
    """
    counts = torch.bincount(owners, minlength=entities)
    starts = torch.cumsum(counts, 0) - counts
    slots = torch.arange(int(counts.max()), device=owners.device)
    # Entities with fewer views than the longest repeat their last one, which cannot win first.
    columns = starts[:, None] + torch.minimum(slots[None, :], counts[:, None] - 1)
    best = similarities(mentions, views, metric)[:, columns].max(dim=2)
    return best.values, best.indices


def max_over_views(
    mentions: Tensor, views: Tensor, owners: Tensor, entities: int, metric: str = "dot"
) -> Tensor:
    """The scores of :func:`best_views`: (mentions, entities)."""
    return best_views(mentions, views, owners, entities, metric)[0]


def sum_of_max(
    mentions: Tensor, mention_mask: Tensor, entities: Tensor, entity_mask: Tensor, rows: int = 8
) -> Tensor:
    """SOM's score: sum over mention positions of the best dot product with an entity position.

    Parameters
    ----------
    mentions : (mentions, m, d)
    mention_mask : (mentions, m)
        1 at positions that are summed.
    entities : (entities, n, d)
    entity_mask : (entities, n)
        1 at positions that take part in the maximum.
    rows
        Mentions scored at once: the (rows * m, entities * n) products are recomputed in the
        backward pass and never kept for the whole batch.

    Returns
    -------
    (mentions, entities) scores.
    """
    blocked = (entity_mask == 0).reshape(1, 1, *entity_mask.shape)

    def score(some: Tensor, mask: Tensor, all_entities: Tensor) -> Tensor:
        products = torch.einsum("imd,jnd->imjn", some, all_entities)
        best = products.masked_fill(blocked, float("-inf")).max(dim=3).values
        return (best * mask[:, :, None]).sum(dim=1)

    parts = []
    for start in range(0, len(mentions), rows):
        some, mask = mentions[start : start + rows], mention_mask[start : start + rows]
        if torch.is_grad_enabled() and (some.requires_grad or entities.requires_grad):
            parts.append(checkpoint(score, some, mask, entities, use_reentrant=False))
        else:
            parts.append(score(some, mask, entities))
    return torch.cat(parts)
