"""The in-batch loss, by hand."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.training.loss import in_batch_loss


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


# Columns: golds of mentions 0 and 1, a hard negative of mention 0, one of mention 1.
SCORES = torch.tensor([[2.0, 0.0, 1.0, -1.0], [1.0, 1.0, 3.0, 0.0]])


def test_a_hard_negative_is_a_column_for_every_mention():
    expected = [
        math.log(1 + math.exp(-2) + math.exp(-1) + math.exp(-3)),
        math.log(1 + math.exp(0) + math.exp(2) + math.exp(-1)),
    ]
    gold = torch.tensor([0, 1])
    for masked in (False, True):  # no mention shares its gold: both are the same
        loss = in_batch_loss(SCORES, gold, masked).item()
        assert loss == pytest.approx(sum(expected) / 2)


def test_a_hard_negative_that_is_another_s_gold_is_one_column():
    """Mention 0 has the golds of 1 and 2 for negatives; the last column is nobody's gold."""
    scores = torch.tensor([[2.0, 1.0, 0.0], [0.0, 4.0, 1.0], [5.0, 2.0, 0.0]])
    gold = torch.tensor([0, 1, 0])
    masked = [
        math.log(1 + math.exp(-1) + math.exp(-2)),
        math.log(1 + math.exp(-4) + math.exp(-3)),
        math.log(1 + math.exp(-3) + math.exp(-5)),
    ]
    assert in_batch_loss(scores, gold, True).item() == pytest.approx(sum(masked) / 3)
    # As released, the gold that mentions 0 and 2 share stands twice; the negative never does.
    released = [
        math.log(2 + math.exp(-1) + math.exp(-2)),
        math.log(1 + 2 * math.exp(-4) + math.exp(-3)),
        math.log(2 + math.exp(-3) + math.exp(-5)),
    ]
    assert in_batch_loss(scores, gold).item() == pytest.approx(sum(released) / 3)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(0, 100))
def test_without_hard_negatives_every_bit_is_as_released(gold, seed):
    distinct = sorted(set(gold))
    columns = torch.tensor([distinct.index(one) for one in gold])
    scores = torch.randn(len(gold), len(distinct), generator=torch.manual_seed(seed))
    released = F.cross_entropy(scores[:, columns], torch.arange(len(gold)))
    assert torch.equal(in_batch_loss(scores, columns), released)


@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 100))
def test_hard_negatives_raise_the_loss_by_their_share(mentions, negatives, seed):
    """exp(loss) of a mention is 1 + the sum of exp(score - gold's score) over the other columns."""
    scores = torch.randn(mentions, mentions + negatives, generator=torch.manual_seed(seed))
    gold = torch.arange(mentions)
    margins = (scores - scores.gather(1, gold[:, None])).exp()
    expected = margins.sum(dim=1).log().mean().item()  # the gold's own is 1
    assert in_batch_loss(scores, gold).item() == pytest.approx(expected, rel=1e-5, abs=1e-6)
