"""The in-batch loss, by hand."""

import math

import pytest
import torch

from muver.training.loss import in_batch_loss


def test_every_mention_s_gold_is_a_column():
    scores = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    expected = (math.log(1 + math.exp(-2)) + math.log(2)) / 2
    assert in_batch_loss(scores, torch.tensor([0, 1])).item() == pytest.approx(expected)


def test_a_gold_that_two_mentions_share():
    scores = torch.tensor([[2.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    gold = torch.tensor([0, 0, 1])
    # As released, the shared gold stands twice: once as the own one, once as a false negative.
    released = [
        math.log(2 + math.exp(-2)),
        math.log(2 + math.exp(-1)),
        math.log(1 + 2 * math.exp(-3)),
    ]
    assert in_batch_loss(scores, gold).item() == pytest.approx(sum(released) / 3)
    masked = [math.log(1 + math.exp(-2)), math.log(1 + math.exp(-1)), math.log(1 + math.exp(-3))]
    assert in_batch_loss(scores, gold, True).item() == pytest.approx(sum(masked) / 3)
