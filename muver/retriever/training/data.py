"""What a training learns from: labelled mentions, and the entities to tell their golds from."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.text import counted
from muver.retriever.encoders.bulk import onto
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.training.training_settings import Training
from muver.retriever.views.build import Tokenizer
from muver.retriever.views.layout import Ids, View
from muver.retriever.views.worlds import World, WorldTables, read_worlds


def epoch_batches(
    mentions_by_world: Mapping[str, Sequence[int]], batch_size: int, seed: int, epoch: int
) -> list[tuple[str, np.ndarray]]:
    """Draw one epoch's batches of mention numbers, each of one world, so that negatives come from
    the mention's world.

    As released: a world is drawn uniformly among those not yet exhausted, not by its size; its
    mentions follow a permutation that is new in each epoch; the last batch of a world is short. The
    draw depends only on the seed and the epoch, so a resumed run sees the same batches.
    """
    random = np.random.Generator(np.random.PCG64([seed, epoch]))
    worlds = sorted(mentions_by_world)
    waiting = {w: random.permutation(np.asarray(mentions_by_world[w])) for w in worlds}
    batches = []
    while worlds:
        world = worlds[int(random.integers(len(worlds)))]
        batches.append((world, waiting[world][:batch_size]))
        waiting[world] = waiting[world][batch_size:]
        if not len(waiting[world]):
            worlds.remove(world)
    return batches


def in_batch_loss(scores: Tensor, gold: Tensor, mask_false_negatives: bool = False) -> Tensor:
    """Cross-entropy of every mention against the entities of the batch, mean over mentions.

    (Section 2.2, "Distance Metric & Training Objectives".) ``scores``, (mentions, entities), are
    against the distinct entities of the batch: golds, and hard negatives if there are any
    (appendix, "AIDA"). A hard negative is a column that is no mention's gold; it counts once for
    every mention, whichever mention it was mined for. ``gold``, (mentions,) int64 on the processor,
    is the column of each one's gold.

    As released, the gold of every other mention is a negative, even if it is also the mention's own
    gold. With ``mask_false_negatives`` every entity counts once.
    """
    if mask_false_negatives:
        return F.cross_entropy(scores, onto(gold, scores.device))
    nobodys = torch.ones(scores.shape[1], dtype=torch.bool)
    nobodys[gold] = False
    columns = torch.cat([gold, nobodys.nonzero()[:, 0]])
    gold_columns = torch.arange(len(gold), device=scores.device)
    return F.cross_entropy(scores[:, onto(columns, scores.device)], gold_columns)


MANY = 0.1  # of the batches: share that is warned of
V = TypeVar("V")


class Dataset(NamedTuple):
    """Files of a training: a corpus with its sentences, and hard negatives of the training
    mentions (`muver.retriever.corpus.schema.NEGATIVES`) if there are any.
    """

    entities: Path
    mentions: Path
    sentences: Path
    negatives: Path | None = None


class Batch(NamedTuple):
    """Mentions of one world, and the distinct entities among which their golds are to be found.

    Golds come first, then the hard negatives that are no mention's gold: each entity is one column,
    however often it was mined. ``gold``, (mentions,), is the column of each mention's gold, and
    ``negatives`` are the columns of its own hard negatives.
    """

    contexts: list[Ids]
    views: list[list[Ids]]  # of each column
    gold: np.ndarray
    negatives: Sequence[Sequence[int]] = ()


class Examples:
    """The labelled mentions of some worlds, or a share of them drawn by the seed.

    With one seed, a smaller share is part of a greater.
    """

    def __init__(self, worlds: Sequence[World], batch_size: int, seed: int, share: float = 1):
        self.worlds, self.batch_size, self.seed = worlds, batch_size, seed
        self.mentions = [(w, m) for w, world in enumerate(worlds) for m in range(len(world.gold))]
        if share < 1:
            drawn = np.random.default_rng(seed).permutation(len(self.mentions))
            first = sorted(drawn[: math.ceil(share * len(drawn))])
            self.mentions = [self.mentions[number] for number in first]

    def __len__(self) -> int:
        return len(self.mentions)

    def batches(self, epoch: int) -> list[np.ndarray]:
        """Numbers of the mentions of each batch of an epoch, which is counted from 1."""
        by_world = defaultdict(list)
        for number, (world, _) in enumerate(self.mentions):
            by_world[self.worlds[world].name].append(number)
        drawn = epoch_batches(by_world, self.batch_size, self.seed, epoch - 1)
        return [numbers for _, numbers in drawn]

    def lay_out(self, numbers: Sequence[int] | np.ndarray) -> Batch:
        """The batch of these mentions, which are of one world."""
        drawn = [self.mentions[number] for number in numbers]
        world = self.worlds[drawn[0][0]]
        golds = [int(world.gold[mention]) for _, mention in drawn]
        hard = [world.negatives[mention] if world.negatives else [] for _, mention in drawn]
        distinct = dict.fromkeys(chain(golds, *hard))
        columns = {entity: column for column, entity in enumerate(distinct)}
        return Batch(
            [world.contexts[mention] for _, mention in drawn],
            [[view.ids for view in world.views[entity]] for entity in columns],
            np.array([columns[entity] for entity in golds]),
            [[columns[entity] for entity in mined] for mined in hard],
        )

    def tell_of_single_entities(self) -> None:
        """Warn where many batches have no entity to tell the gold from: their loss stays 0."""
        batches = self.batches(1)
        alone = sum(len(self.lay_out(batch).views) == 1 for batch in batches)
        if alone and alone >= MANY * len(batches):
            logger.warning(
                "%d of %s have one entity alone, from which nothing is learnt. A batch has "
                "mentions of one world: raise training.batch_size (now %d), or give the worlds "
                "more mentions",
                alone, counted(len(batches), "batch", "batches"), self.batch_size,
            )  # fmt: skip


def worlds_of(
    data: Dataset, split: str, config: ModelConfig, tokenizer: Tokenizer, settings: Training,
    hard: Mapping[str, Sequence[int]] | None = None,
) -> list[World]:  # fmt: skip
    """Lay out the worlds of the split "train" or "val", as training and validation need them.

    ``hard`` are hard negatives of every mention by its id, or in validation the candidates that a
    cross-encoder ranks. In training the page that a mention stands on may be one more; entities
    that are neither gold nor hard negative have no views, and others the first
    ``views.training_views``. The view of a whole description is the last one.
    """
    tables = read_worlds(data.entities, data.mentions, data.sentences, split)
    worlds = [_lay_out(raw, split == "train", config, tokenizer, settings, hard) for raw in tables]
    negatives = any(mined for world in worlds for mined in world.negatives)
    if split == "train" and settings.own_page_negatives and not negatives:
        raise InputError(
            f"{data.mentions}: no training mention stands on a page that is an entity, so "
            "training.own_page_negatives adds none. Set it to false."
        )
    return worlds


def _lay_out(
    tables: WorldTables, training: bool, config: ModelConfig, tokenizer: Tokenizer,
    settings: Training, hard: Mapping[str, Sequence[int]] | None,
) -> World:  # fmt: skip
    negatives = _known(tables, hard)
    numbers, limit = None, None
    if training:
        if settings.own_page_negatives:
            _add_own_pages(negatives, tables)
        golds = tables.mentions["gold"].to_pylist()
        numbers = np.unique([*golds, *chain.from_iterable(negatives)])
        limit = config.views.training_views or None
    world = tables.lay_out(config, tokenizer, numbers)
    views = [of_entity[:limit] for of_entity in world.views]
    if training and settings.padding_views:
        empty = View([tokenizer.markers.pad] * config.views.max_tokens, -1, -1)
        views = [
            fill_with_empty_views(of_entity, limit, empty) if of_entity else []
            for of_entity in views
        ]
    if settings.global_view:
        layout = config.views.whole(settings.global_view)
        whole = tables.views(layout, tokenizer, numbers)
        views = [[*of_entity, *view] for of_entity, view in zip(views, whole, strict=True)]
    return replace(world, views=views, negatives=negatives)


def _known(tables: WorldTables, hard: Mapping[str, Sequence[int]] | None) -> list[list[int]]:
    ids = tables.mentions["mention_id"].to_pylist()
    if hard and (missing := [mention for mention in ids if mention not in hard]):
        raise InputError(
            f"mention {missing[0]!r} has no candidates: negatives or run are of other mentions. "
            "Make them of these."
        )
    return [[*hard[mention]] if hard else [] for mention in ids]


def _add_own_pages(negatives: list[list[int]], tables: WorldTables) -> None:
    """Add the page that each mention stands on, if it is an entity and not the gold."""
    numbers = {page: n for n, page in enumerate(tables.entities["document_id"].to_pylist())}
    places = (tables.mentions[column].to_pylist() for column in ("document", "gold"))
    for mined, page, gold in zip(negatives, *places, strict=True):
        if numbers.get(page, gold) != gold:
            mined.append(numbers[page])


def fill_with_empty_views(views: Sequence[V], count: int, empty: V) -> list[V]:
    """Append empty views up to ``count``, a fault of the released code, for parity.

    It laid out every gold entity in ``count`` rows and encoded the empty ones with all positions
    masked, which in the library of its time was the same as none masked. So an empty view is
    ``max_tokens`` pieces ``[PAD]``, all attended. Each is encoded by itself, because each has its
    own dropout.
    """
    return [*views, *[empty] * (count - len(views))]
