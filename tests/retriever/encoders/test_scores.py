"""Scores, by hand and against plain formulas."""

import math

import pytest
import torch

from muver.retriever.encoders.scores import max_over_views, similarities, sum_of_max


def test_the_gradient_goes_to_the_first_of_equal_views():
    mentions = torch.tensor([[1.0]])
    views = torch.tensor([[2.0], [1.0], [2.0], [5.0]], requires_grad=True)
    max_over_views(mentions, views, torch.tensor([0, 0, 0, 1]), 2)[0, 0].backward()
    assert views.grad.tolist() == [[1.0], [0.0], [0.0], [0.0]]


def test_entities_with_few_views_repeat_none_in_the_gradient():
    mentions = torch.tensor([[1.0]])
    views = torch.tensor([[2.0], [1.0], [3.0], [4.0]], requires_grad=True)
    max_over_views(mentions, views, torch.tensor([0, 1, 1, 1]), 2).sum().backward()
    assert views.grad.tolist() == [[1.0], [0.0], [0.0], [1.0]]


def test_distances_by_hand():
    mentions = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    views = torch.tensor([[3.0, 4.0], [6.0, 8.0], [0.0, 1.0]])
    assert similarities(mentions, views, "l2").tolist() == [
        [-5.0, -10.0, -1.0],
        [0.0, -5.0, pytest.approx(-math.sqrt(18))],
    ]
    scores = max_over_views(mentions, views, torch.tensor([0, 1, 1]), 2, "l2")
    assert scores.tolist() == [[-5.0, -1.0], [0.0, pytest.approx(-math.sqrt(18))]]


def test_small_distances_of_long_vectors_keep_their_digits():
    mentions = torch.full((30, 100), 50.0)  # enough rows for torch to choose a matrix product
    views = mentions.clone()
    views[:, 0] += 0.001
    expected = torch.full((30, 30), -(views[0, 0] - 50.0).item())
    torch.testing.assert_close(similarities(mentions, views, "l2"), expected)


def test_the_gradient_of_a_distance_is_a_unit_vector_and_nothing_at_0():
    mentions = torch.tensor([[0.0, 0.0]], requires_grad=True)
    views = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    max_over_views(mentions, views, torch.tensor([0, 1]), 2, "l2").sum().backward()
    torch.testing.assert_close(views.grad, torch.tensor([[-0.6, -0.8], [0.0, 0.0]]))
    torch.testing.assert_close(mentions.grad, torch.tensor([[0.6, 0.8]]))


def plain_sum_of_max(mentions, mention_mask, entities, entity_mask):
    scores = torch.zeros(len(mentions), len(entities))
    for i, (mention, keep) in enumerate(zip(mentions, mention_mask, strict=True)):
        for j, (entity, real) in enumerate(zip(entities, entity_mask, strict=True)):
            products = mention[keep.bool()] @ entity[real.bool()].T
            scores[i, j] = products.max(dim=1).values.sum()
    return scores


@pytest.mark.parametrize("rows", [1, 2, 8])
def test_sum_of_max_and_its_gradients_are_those_of_the_plain_formula(rows):
    torch.manual_seed(0)
    lengths = ([4, 2, 3, 4, 1], [5, 1, 3])
    sides = [torch.randn(len(some), max(some), 6) for some in lengths]
    masks = [torch.tensor([[n < k for n in range(max(some))] for k in some]) for some in lengths]
    weights = torch.randn(5, 3)
    results = []
    for score in (plain_sum_of_max, lambda *a: sum_of_max(*a, rows=rows)):
        mentions, entities = (side.clone().requires_grad_() for side in sides)
        scores = score(mentions, masks[0], entities, masks[1])
        (scores * weights).sum().backward()
        results.append((scores.detach(), mentions.grad, entities.grad))
    for plain, ours in zip(*results, strict=True):
        torch.testing.assert_close(ours, plain)
