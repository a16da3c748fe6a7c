"""The examples of a training: a share of them, and what a batch of them lays out."""

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from muver.io.progress import logger
from muver.io.text import counted
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World

TOLD = 0.1  # share of the batches
Example = tuple[int, int]  # a world's place, and that of a mention in it


class LaidOut(NamedTuple):
    """A batch: contexts, views of the distinct entities, and the column of each mention's gold."""

    contexts: list[Ids]
    views: list[list[Ids]]
    gold: np.ndarray

    @property
    def sequences(self) -> list[Ids]:
        return [*self.contexts, *chain.from_iterable(self.views)]


def examples_of(worlds: Sequence[World], share: float, seed: int) -> list[Example]:
    """The mentions of the worlds in turn, or a share of them drawn by the seed; with one seed, a
    smaller share is part of a greater.
    """
    examples = [(w, m) for w, world in enumerate(worlds) for m in range(len(world.gold))]
    if share == 1:
        return examples
    drawn = np.random.default_rng(seed).permutation(len(examples))
    return [examples[number] for number in sorted(drawn[: math.ceil(share * len(examples))])]


def tell_of_single_entities(
    worlds: Sequence[World], batches: Sequence[Sequence[Example]], batch_size: int
) -> None:
    """Warn where many batches have no entity to tell the gold from: their loss stays the same."""
    alone = sum(len(_entities(worlds, batch)) == 1 for batch in batches)
    if alone and alone >= TOLD * len(batches):
        logger.warning(
            "%d of %s have one entity alone, from which nothing is learnt. A batch has mentions of "
            "one world: raise training.batch_size (now %d), or give the worlds more mentions",
            alone, counted(len(batches), "batch", "batches"), batch_size,
        )  # fmt: skip


def _entities(worlds: Sequence[World], batch: Sequence[Example]) -> set[tuple[int, int]]:
    """The golds and hard negatives of a batch."""
    return {
        (place, int(one))
        for place, mention in batch
        for one in (
            worlds[place].gold[mention],
            *(worlds[place].negatives[mention] if worlds[place].negatives else ()),
        )
    }


def lay_out(
    worlds: Sequence[World], examples: Sequence[Example], views: Callable[[int, int], list[Ids]]
) -> LaidOut:
    """Lay out a batch; ``views`` are those of an entity of a world, both by their numbers.

    The golds come first, then the hard negatives that are no mention's gold: each entity is one
    column, however often it was mined.
    """
    contexts, golds, negatives = [], [], []
    for place, mention in examples:
        world = worlds[place]
        contexts.append(world.contexts[mention])
        golds.append((place, int(world.gold[mention])))
        hard = world.negatives[mention] if world.negatives else []
        negatives += [(place, int(one)) for one in hard]
    columns = {one: n for n, one in enumerate(dict.fromkeys([*golds, *negatives]))}
    gold = np.array([columns[one] for one in golds])
    return LaidOut(contexts, [views(*one) for one in columns], gold)


def fill_with_empty_views(
    views: Sequence[Ids], count: int, pad_piece: int, max_tokens: int
) -> list[Ids]:
    """Append empty views up to ``count``, a fault of the released code, for parity.

    It laid out every gold entity in ``count`` rows and encoded the empty ones with all positions
    masked, which in the library of its time was the same as none masked. So an empty view is
    ``max_tokens`` pieces ``[PAD]``, all attended. Each is encoded by itself, because each has its
    own dropout.
    """
    return [*views, *([pad_piece] * max_tokens for _ in range(count - len(views)))]
