"""A world laid out for a model: contexts of its mentions, views of its entities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.io.progress import Progress
from muver.retriever.corpus.schema import read_entities, read_mentions, read_sentences
from muver.retriever.views.build import Tokenizer, entity_views, mention_contexts
from muver.retriever.views.layout import Ids, View
from muver.retriever.views.settings import Context


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
    global_views: list[Ids] = field(default_factory=list)  # of each entity, if they were asked for


def load_worlds(
    entities: Path, mentions: Path, sentences: Path, split: str, layouts: Any,
    tokenizer: Tokenizer, gold_only: bool = False,
    negatives: Mapping[str, Sequence[int]] | None = None, own_pages: bool = False,
    global_tokens: int = 0,
) -> list[World]:  # fmt: skip
    """Read and lay out the worlds of a split, by name.

    ``layouts`` has ``views`` and ``context``, as
    :class:`muver.retriever.encoders.settings.ModelConfig`. ``negatives`` are hard ones of every
    mention of the split, by its id. With ``own_pages``, the page that a mention stands on is one of
    them too, if it is an entity of the world and not the gold. With ``gold_only``, only entities
    that are some mention's gold or hard negative get views, which is enough for training.
    ``global_tokens`` are those of a view of the whole description; 0 asks for none.
    """
    table = read_mentions(mentions, split)
    return [
        _load_world(
            name, table.filter(pc.equal(table["world"], name)), entities, sentences, layouts,
            tokenizer, gold_only, negatives or {}, own_pages, global_tokens,
        )
        for name in sorted(set(table["world"].to_pylist()))
    ]  # fmt: skip


def context_ids(table: pa.Table, tokenizer: Tokenizer, settings: Context) -> list[Ids]:
    """Token ids of a table's mentions in their contexts, as the model's ``context`` says."""
    sides = (table[name].to_pylist() for name in ("context_left", "mention", "context_right"))
    return mention_contexts(*sides, settings, tokenizer)


def _load_world(
    name: str, table: pa.Table, entities: Path, sentences: Path, layouts: Any,
    tokenizer: Tokenizer, gold_only: bool, negatives: Mapping[str, Sequence[int]], own_pages: bool,
    global_tokens: int,
) -> World:  # fmt: skip
    described = read_entities(entities, [name])
    described = described.append_column("pieces", read_sentences(sentences, [name])["sentences"])
    titles, ids = described["title"].to_pylist(), table["mention_id"].to_pylist()
    if negatives and (missing := [one for one in ids if one not in negatives]):
        raise InputError(
            f"mention {missing[0]!r} has no candidates: negatives or run are of other mentions. "
            "Make them of these."
        )
    hard = [[*negatives[one]] if negatives else [] for one in ids]
    gold = table["gold"].to_numpy()
    if own_pages:
        numbers = {page: number for number, page in enumerate(described["document_id"].to_pylist())}
        for some, own, page in zip(hard, gold, table["document"].to_pylist(), strict=True):
            if numbers.get(page, own) != own:
                some.append(numbers[page])
    wanted = np.arange(len(titles))
    if gold_only:
        wanted = np.unique(np.concatenate([gold, *(np.asarray(some, int) for some in hard)]))
    rows = described.take(wanted)
    texts = [rows[column].to_pylist() for column in ("title", "text", "pieces")]
    types = rows["type"].to_pylist()
    laid_out = entity_views(*texts, layouts.views, tokenizer, types)
    views: list[list[View]] = [[] for _ in titles]
    whole: list[Ids] = []
    if global_tokens:
        whole = [[]] * len(titles)
        new = entity_views(*texts, layouts.views.whole(global_tokens), tokenizer)
        for number, (view,) in zip(wanted, new, strict=True):
            whole[number] = view.ids
    progress = Progress(f"laying out {name}", len(wanted), "entities")
    for number, some in zip(wanted, laid_out, strict=True):
        views[number] = some
        progress.advance()
    progress.finish()
    contexts = context_ids(table, tokenizer, layouts.context)
    return World(name, titles, views, ids, contexts, gold, hard, whole)
