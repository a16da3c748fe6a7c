"""The examples of a training: a share of them, and what a batch of them lays out."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType

from muver.retriever.training.batches import Lesson
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World

Example = tuple[int, int]  # a world's place, and that of a mention in it


class LaidOut(NamedTuple):
    """A batch: contexts, views of the distinct entities, the column of each mention's gold, and
    those of its candidates: the gold and its hard negatives.
    """

    contexts: list[Ids]
    views: list[list[Ids]]
    gold: np.ndarray
    candidates: list[list[int]]

    @property
    def sequences(self) -> list[Ids]:
        return [*self.contexts, *chain.from_iterable(self.views)]


class Teacher(NamedTuple):
    """A cross-encoder's scores of each training mention's gold and hard negatives, or of their
    views in turn, by the mention's id, and the weight of what is learnt of them.
    """

    scores: Mapping[str, Sequence[float]]
    weight: float
    over_views: bool = False


def examples_of(worlds: Sequence[World], share: float | UnsetType, seed: int) -> list[Example]:
    """The mentions of the worlds in turn, or a share of them drawn by the seed; with one seed, a
    smaller share is part of a greater.
    """
    examples = [(w, m) for w, world in enumerate(worlds) for m in range(len(world.gold))]
    if share is UNSET:
        return examples
    drawn = np.random.default_rng(seed).permutation(len(examples))
    return [examples[number] for number in sorted(drawn[: math.ceil(share * len(examples))])]


def lay_out(
    worlds: Sequence[World], examples: Sequence[Example], views: Callable[[int, int], list[Ids]]
) -> LaidOut:
    """Lay out a batch; ``views`` are those of an entity of a world, both by their numbers.

    The golds come first, then the hard negatives that are no mention's gold: each entity is one
    column, however often it was mined.
    """
    contexts, among = [], []
    for place, mention in examples:
        world = worlds[place]
        contexts.append(world.contexts[mention])
        hard = world.negatives[mention] if world.negatives else []
        among.append([(place, int(one)) for one in (world.gold[mention], *hard)])
    golds, negatives = [own[0] for own in among], [one for own in among for one in own[1:]]
    columns = {one: n for n, one in enumerate(dict.fromkeys([*golds, *negatives]))}
    candidates = [[columns[one] for one in own] for own in among]
    gold = np.array([own[0] for own in candidates])
    return LaidOut(contexts, [views(*one) for one in columns], gold, candidates)


def lesson_of(
    teacher: Teacher, worlds: Sequence[World], examples: Sequence[Example], laid_out: LaidOut,
    untaught: int,
) -> Lesson:  # fmt: skip
    """What the teacher says of a batch; it has not seen the last ``untaught`` views of an entity,
    nor a page of a mention's own, which is its last candidate.
    """
    scores = [teacher.scores[worlds[place].mention_ids[mention]] for place, mention in examples]
    candidates = laid_out.candidates
    if teacher.over_views:
        ends = accumulate(map(len, laid_out.views), initial=0)
        own = [range(start, end - untaught) for start, end in pairwise(ends)]
        candidates = [[*chain.from_iterable(own[one] for one in some)] for some in candidates]
    taught = [own[: len(some)] for own, some in zip(candidates, scores, strict=True)]
    return Lesson(taught, scores, teacher.weight, teacher.over_views)


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
