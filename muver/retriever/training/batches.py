"""Draw batches: mentions of one world each, worlds in random order."""

from collections.abc import Mapping, Sequence

import numpy as np


def epoch_batches(
    mentions_by_world: Mapping[str, Sequence[int]], batch_size: int, seed: int, epoch: int
) -> list[np.ndarray]:
    """Draw one epoch, so that in-batch negatives come from the mention's own world.

    As released: a world is drawn uniformly among those not yet exhausted, not by its size; its
    mentions follow a permutation that is new in each epoch; the last batch of a world is short. The
    draw depends only on the seed and the epoch, so a resumed run sees the same batches.

    Returns
    -------
    Arrays of mention numbers; each mention once.
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
