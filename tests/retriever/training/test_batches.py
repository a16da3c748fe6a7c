"""Which mentions make a batch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.training.batches import epoch_batches

WORLDS = {"alder": list(range(0, 10)), "birch": list(range(10, 13)), "cedar": list(range(13, 30))}


def drawn(seed=1, epoch=0, size=4):
    return [batch.tolist() for batch in epoch_batches(WORLDS, size, seed, epoch)]


@given(
    st.dictionaries(st.text("abc", min_size=1), st.integers(1, 20), min_size=1),
    st.integers(1, 8),
    st.integers(0, 5),
)
def test_every_mention_once_and_one_world_a_batch(sizes, batch_size, epoch):
    numbers = iter(range(1000))
    worlds = {world: [next(numbers) for _ in range(size)] for world, size in sizes.items()}
    world_of = {number: world for world, own in worlds.items() for number in own}
    batches = epoch_batches(worlds, batch_size, 3, epoch)
    assert sorted(np.concatenate(batches).tolist()) == sorted(world_of)
    for batch in batches:
        assert 1 <= len(batch) <= batch_size
        assert len({world_of[number] for number in batch.tolist()}) == 1
    # Only the last batch of a world is short.
    assert len(batches) == sum(-(-size // batch_size) for size in sizes.values())


def test_the_draw_depends_on_seed_and_epoch_alone():
    assert drawn() == drawn()
    assert drawn() != drawn(epoch=1)
    assert drawn() != drawn(seed=2)
    reordered = dict(reversed(WORLDS.items()))
    assert [b.tolist() for b in epoch_batches(reordered, 4, 1, 0)] == drawn()


def test_worlds_are_drawn_uniformly_and_not_by_size():
    sizes = {"small": list(range(50)), "large": list(range(50, 1050))}
    firsts = [int(epoch_batches(sizes, 50, 1, epoch)[0][0]) for epoch in range(200)]
    small = sum(first < 50 for first in firsts)
    assert 70 < small < 130  # 100 expected; by size it would be 10
