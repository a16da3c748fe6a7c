"""A world laid out for a model: contexts of its mentions, views of its entities."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.progress import Progress
from muver.retriever.corpus.schema import read_entities, read_mentions, read_sentences
from muver.retriever.views.build import Tokenizer, entity_views, mention_contexts
from muver.retriever.views.layout import Ids, View
from muver.retriever.views.views_settings import Context, Views


@dataclass(frozen=True)
class World:
    """One world, laid out for a model; entities go by their numbers."""

    name: str
    titles: list[str]  # of each entity, as the views
    views: list[list[View]]  # empty for entities that were not asked for
    mention_ids: list[str]
    contexts: list[Ids]  # token ids of each mention's context
    gold: np.ndarray  # (mentions,)
    negatives: list[list[int]] = field(default_factory=list)  # hard ones of each mention


class WorldTables(NamedTuple):
    """One world as it is read: mentions of a split, and entities with their ``sentences``."""

    name: str
    mentions: pa.Table
    entities: pa.Table

    def lay_out(
        self, layouts: Any, tokenizer: Tokenizer, numbers: np.ndarray | None = None
    ) -> World:
        """The world, with views of the entities of these ``numbers`` or of all.

        ``layouts`` has ``views`` and ``context``, as
        :class:`muver.retriever.encoders.encoders_settings.ModelConfig`.
        """
        return World(
            self.name,
            self.entities["title"].to_pylist(),
            self.views(layouts.views, tokenizer, numbers),
            self.mentions["mention_id"].to_pylist(),
            context_ids(self.mentions, tokenizer, layouts.context),
            self.mentions["gold"].to_numpy(),
        )

    def views(
        self, layout: Views, tokenizer: Tokenizer, numbers: np.ndarray | None = None
    ) -> list[list[View]]:
        """The views of each entity; none of those that are not among ``numbers``."""
        found: list[list[View]] = [[] for _ in range(len(self.entities))]
        numbers = np.arange(len(found)) if numbers is None else numbers
        rows = self.entities.take(numbers)
        texts = [rows[column].to_pylist() for column in ("title", "text", "sentences")]
        progress = Progress(f"laying out {self.name}", len(numbers), "entities")
        laid_out = entity_views(*texts, layout, tokenizer, rows["type"].to_pylist())
        for number, views in zip(numbers, laid_out, strict=True):
            found[number] = views
            progress.advance()
        progress.finish()
        return found


def read_worlds(
    entities: Path, mentions: Path, sentences: Path, split: str
) -> Iterator[WorldTables]:
    """The worlds with mentions of a split, by name."""
    table = read_mentions(mentions, split)
    for name in sorted(set(table["world"].to_pylist())):
        split_up = read_sentences(sentences, [name])["sentences"]
        described = read_entities(entities, [name]).append_column("sentences", split_up)
        yield WorldTables(name, table.filter(pc.equal(table["world"], name)), described)


def load_worlds(
    entities: Path, mentions: Path, sentences: Path, split: str, layouts: Any, tokenizer: Tokenizer
) -> list[World]:
    """Read and lay out the worlds of a split, by name (:meth:`WorldTables.lay_out`)."""
    tables = read_worlds(entities, mentions, sentences, split)
    return [world.lay_out(layouts, tokenizer) for world in tables]


def context_ids(table: pa.Table, tokenizer: Tokenizer, settings: Context) -> list[Ids]:
    """Token ids of a table's mentions in their contexts, as the model's ``context`` says."""
    sides = (table[name].to_pylist() for name in ("context_left", "mention", "context_right"))
    return mention_contexts(*sides, settings, tokenizer)
