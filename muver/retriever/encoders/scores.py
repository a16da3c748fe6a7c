"""Scores of mentions and entities, from the vectors of their towers."""

import torch
import torch.nn.functional as F
from torch import Tensor

from muver.retriever.encoders.bulk import onto
from muver.retriever.encoders.linear import products


def similarities(mentions: Tensor, views: Tensor, metric: str = "dot") -> Tensor:
    """Similarity of every mention, (..., d), with every view, (views, d): (..., views).

    ``metric`` is "dot", or "l2": minus the Euclidean distance (equation 1), whose gradient at
    distance 0 is taken to be 0.
    """
    if metric == "l2":
        # A matrix product would lose the digits of small distances.
        return -torch.cdist(mentions, views, compute_mode="donot_use_mm_for_euclid_dist")
    return mentions @ views.T


def max_over_views(
    mentions: Tensor, views: Tensor, owners: Tensor, entities: int, metric: str = "dot"
) -> Tensor:
    """Greatest similarity of a mention with any view of an entity (equation 4).

    (mentions, entities) scores; ``owners``, (views,) int64, is the entity of each view, from 0 and
    non-decreasing and on the processor, and every entity has a view. The gradient goes to the best
    view; of equal ones to the first.

    >>> views, owners = torch.tensor([[1.0], [3.0], [2.0]]), torch.tensor([0, 0, 1])
    >>> max_over_views(torch.tensor([[2.0]]), views, owners, entities=2).tolist()
    [[6.0, 4.0]]
    """
    columns = onto(_by_entity(owners, entities), views.device)
    return similarities(mentions, views, metric)[:, columns].max(dim=-1).values


def _by_entity(owners: Tensor, entities: int) -> Tensor:
    """The views of each entity, as many for each: (entities, most).

    Entities with fewer views repeat their last one, so that the first of equal views wins.
    """
    counts = torch.bincount(owners, minlength=entities)[:, None]
    slots = torch.arange(int(counts.max()))
    starts = torch.cumsum(counts, 0) - counts
    return starts + torch.minimum(slots, counts - 1)


def sum_of_max(
    mentions: Tensor, mention_mask: Tensor, entities: Tensor, entity_mask: Tensor, rows: int = 8
) -> Tensor:
    """SOM's score: sum over mention positions of the best dot product with an entity position.

    The vectors are (mentions, m, d) and (entities, n, d); the masks are 1 at positions that take
    part, which an entity's first one must. The scores are (mentions, entities), made for ``rows``
    mentions at once, with (rows * m, entities * n) products. The gradient goes only to the best
    positions.
    """
    return _SumOfMax.apply(mentions, mention_mask, entities, entity_mask, rows)


class _SumOfMax(torch.autograd.Function):
    """Remembers the best positions, so that the backward pass computes no products again.

    With these positions fixed, the sum of all scores weighted by their gradients is that of each
    mention position's dot product with a weighted sum of entity positions: an embedding bag.
    """

    @staticmethod
    def forward(ctx, mentions, mention_mask, entities, entity_mask, rows):  # type: ignore[no-untyped-def]
        # A masked position is replaced by the entity's first, which changes no maximum.
        real = entity_mask.bool()
        table = entities.where(real[:, :, None], entities[:, :1]).flatten(0, 1)
        shape = (*mentions.shape[:2], *entities.shape[:2])
        needed = any(ctx.needs_input_grad)
        scores, best = [], []
        for start in range(0, len(mentions), rows):
            few, mask = mentions[start : start + rows], mention_mask[start : start + rows]
            by_pair = products(few.flatten(0, 1), table).view(len(few), *shape[1:])
            if needed:
                greatest, places = by_pair.max(dim=3)
                best.append(places)
            else:
                # Much quicker than max, which also gives the places.
                greatest = by_pair.amax(dim=3)
            scores.append((greatest * mask[:, :, None]).sum(dim=1))
        if needed:
            ctx.save_for_backward(mentions, mention_mask, entities, real, torch.cat(best))
        return torch.cat(scores)

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        mentions, mention_mask, entities, real, best = ctx.saved_tensors
        # (mentions, m, entities): the row of the best position in a table of all of them.
        firsts = torch.arange(len(entities), device=best.device) * entities.shape[1]
        best = best.where(real.flatten()[best + firsts], 0) + firsts
        weights = gradient[:, None] * mention_mask[:, :, None]
        with torch.enable_grad():
            table = entities.detach().flatten(0, 1).requires_grad_()
            bags = F.embedding_bag(
                best.flatten(0, 1), table, per_sample_weights=weights.flatten(0, 1), mode="sum"
            )
        (to_table,) = torch.autograd.grad(bags, table, mentions.flatten(0, 1))
        return bags.detach().view_as(mentions), None, to_table.view_as(entities), None, None
