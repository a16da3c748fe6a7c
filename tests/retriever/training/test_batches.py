"""Which mentions make a batch, and the loss over it, by hand."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.training.data import epoch_batches, in_batch_loss

WORLDS = {"alder": list(range(0, 10)), "birch": list(range(10, 13)), "cedar": list(range(13, 30))}


def drawn(seed=1, epoch=0, size=4):
    return [batch.tolist() for _, batch in epoch_batches(WORLDS, size, seed, epoch)]


@given(
    st.dictionaries(st.text("abc", min_size=1), st.integers(1, 20), min_size=1),
    st.integers(1, 8),
    st.integers(0, 5),
)
def test_every_mention_once_and_one_world_a_batch(sizes, batch_size, epoch):
    numbers = iter(range(1000))
    worlds = {world: [next(numbers) for _ in range(size)] for world, size in sizes.items()}
    world_of = {number: world for world, own in worlds.items() for number in own}
    drawn_from, batches = zip(*epoch_batches(worlds, batch_size, 3, epoch), strict=True)
    assert sorted(np.concatenate(batches).tolist()) == sorted(world_of)
    for world, batch in zip(drawn_from, batches, strict=True):
        assert 1 <= len(batch) <= batch_size
        assert {world_of[number] for number in batch.tolist()} == {world}
    # Only the last batch of a world is short.
    assert len(batches) == sum(-(-size // batch_size) for size in sizes.values())


def test_the_draw_depends_on_seed_and_epoch_alone():
    assert drawn() == drawn()
    assert drawn() != drawn(epoch=1)
    assert drawn() != drawn(seed=2)
    reordered = dict(reversed(WORLDS.items()))
    assert [b.tolist() for _, b in epoch_batches(reordered, 4, 1, 0)] == drawn()


def test_worlds_are_drawn_uniformly_and_not_by_size():
    sizes = {"small": list(range(50)), "large": list(range(50, 1050))}
    firsts = [int(epoch_batches(sizes, 50, 1, epoch)[0][1][0]) for epoch in range(200)]
    small = sum(first < 50 for first in firsts)
    assert 70 < small < 130  # 100 expected; by size it would be 10


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
