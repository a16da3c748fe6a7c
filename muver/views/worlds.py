"""A world laid out for a model: contexts of its mentions, views of its entities."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.corpus.schema import read_entities, read_mentions, read_sentences
from muver.errors import InputError
from muver.views.build import Tokenizer, entity_views
from muver.views.layout import Ids, View, context


class Layouts(Protocol):
    """Settings of the layouts; :class:`muver.encoders.biencoder.ModelConfig` has them."""

    @property
    def views(self) -> dict[str, Any]: ...

    @property
    def context(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class World:
    """One world ready for a model.

    Attributes
    ----------
    titles
        Title of each entity, by line number.
    views
        Views of each entity; empty for entities that were not asked for.
    contexts
        Token ids of each mention's context.
    gold : (mentions,)
        Line number of each mention's gold.
    """

    name: str
    titles: list[str]
    views: list[list[View]]
    mention_ids: list[str]
    contexts: list[Ids]
    gold: np.ndarray


def load_worlds(
    entities: Path,
    mentions: Path,
    sentences: Path,
    split: str,
    layouts: Layouts,
    tokenizer: Tokenizer,
    gold_only: bool = False,
) -> list[World]:
    """Read and lay out the worlds of a split, by name.

    Parameters
    ----------
    gold_only
        Lay out views only for entities that are some mention's gold (enough for training).

    Raises
    ------
    InputError
        If the split has no mentions, or the sentences are not those of the entities.
    """
    table = read_mentions(mentions, split)
    if not table.num_rows:
        raise InputError(f"{mentions}: no mentions in split {split!r}.")
    worlds = []
    for name in sorted(set(table["world"].to_pylist())):
        own = table.filter(pc.equal(table["world"], name))
        worlds.append(_load_world(name, own, entities, sentences, layouts, tokenizer, gold_only))
    return worlds


def context_ids(table: pa.Table, tokenizer: Tokenizer, max_tokens: int) -> list[Ids]:
    """Token ids of the contexts of a mentions table, in its order."""
    sides = [
        tokenizer.ids(table[c].to_pylist()) for c in ("context_left", "mention", "context_right")
    ]
    return [context(*parts, tokenizer.markers, max_tokens) for parts in zip(*sides, strict=True)]


def _load_world(
    name: str,
    table: pa.Table,
    entities: Path,
    sentences: Path,
    layouts: Layouts,
    tokenizer: Tokenizer,
    gold_only: bool,
) -> World:
    described = read_entities(entities, [name])
    titles = described["title"].to_pylist()
    split = read_sentences(sentences, [name])["sentences"]
    if len(split) != len(titles):
        raise InputError(
            f"{sentences} has {len(split)} entities and {entities} {len(titles)} of world "
            f"{name!r}: they belong to different runs. Run the segment stage again."
        )
    gold = table["gold"].to_numpy()
    wanted = np.unique(gold) if gold_only else np.arange(len(titles))
    laid_out = entity_views(
        [titles[number] for number in wanted],
        described["text"].take(wanted).to_pylist(),
        split.take(wanted).to_pylist(),
        layouts.views,
        tokenizer,
        described["type"].take(wanted).to_pylist(),
    )
    views: list[list[View]] = [[] for _ in titles]
    for number, some in zip(wanted, laid_out, strict=True):
        views[number] = some
    return World(
        name=name,
        titles=titles,
        views=views,
        mention_ids=table["mention_id"].to_pylist(),
        contexts=context_ids(table, tokenizer, layouts.context["max_tokens"]),
        gold=gold,
    )
