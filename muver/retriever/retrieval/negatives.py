"""Hard negatives: the best candidates of a run that are not the mention's gold (appendix, "AIDA").

They are mined once, from another row's run over the training mentions ("precomputed using BLINK"),
and stored as data. A share of them may be drawn at random instead.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest
from muver.io.parquet import write_table
from muver.io.progress import logger
from muver.io.text import counted
from muver.retriever.corpus.knowledge_base import KnowledgeBase, normal_title
from muver.retriever.corpus.schema import (
    NEGATIVES,
    read_linked_mentions,
    read_mentions,
    titles_by_world,
)
from muver.retriever.retrieval.retrieval_settings import Mining
from muver.retriever.runs.run import by_mention, read_run


class Gold(NamedTuple):
    """A mention's gold entity, with its title, and the number of entities it is one of."""

    entity: int
    title: str
    among: int


def mine(
    run: str | Path,
    mentions: str | Path,
    out: str | Path,
    manifest: str | Path,
    settings: Mining,
    kb: str | Path | None = None,
    entities: str | Path | None = None,
) -> None:
    """Mine hard negatives: each mention's best candidates in a run that are not its gold.

    Of every training mention with a known gold. Their provenance is written too.

    The manifest counts mentions, those left out because their gold is outside the base, those
    mined, their negatives, mentions with fewer than asked for, and candidates skipped because they
    have the gold's title.

    Parameters
    ----------
    run
        A run over the mentions, of any retriever.
    mentions
        Linked mentions of a knowledge base, or those of worlds, of which the split "train" is read.
    out, manifest
        Parquet (`NEGATIVES`) and JSON to write.
    kb, entities
        What the gold is one of: a knowledge base, or the entities of the worlds.
    """
    if (kb is None) == (entities is None):
        raise InputError("--kb or --entities: expected one of them, which has the gold entities.")
    if kb is not None:
        base = KnowledgeBase(kb)
        inputs = {"kb": base.manifest["fingerprint"]}
        total, golds = _golds_of_base(mentions, base)
    else:
        inputs = {"entities": sha256_of(entities)}
        total, golds = _golds_of_worlds(mentions, entities)
    ranked = read_run(run)
    candidates_of, none = dict(by_mention(ranked)), ranked.slice(0, 0)
    random, same_title, rows = np.random.default_rng(settings.seed), 0, []
    for mention, gold in golds.items():
        row, skipped = _mined(candidates_of.get(mention, none), gold, settings, random)
        rows.append({"mention_id": mention, **row})
        same_title += skipped
    write_table(out, pa.Table.from_pylist(rows, NEGATIVES))
    numbers = [len(row["negatives"]) for row in rows]
    counts = {
        "mentions": total,
        "gold_outside": total - len(golds),
        "mined": len(golds),
        "negatives": sum(numbers),
        "fewer": sum(number < settings.per_mention for number in numbers),
        "same_title": same_title,
    }
    inputs |= {"run": sha256_of(run), "mentions": sha256_of(mentions)}
    write_manifest(manifest, "negatives", settings.as_dict(), inputs, counts=counts)
    logger.info(
        "%s of %s; mentions with fewer than %d: %d, with their gold outside the base: %d",
        counted(counts["negatives"], "negative"), counted(counts["mined"], "mention"),
        settings.per_mention, counts["fewer"], counts["gold_outside"],
    )  # fmt: skip


def _mined(
    candidates: pa.Table, gold: Gold, settings: Mining, random: np.random.Generator
) -> tuple[dict[str, list], int]:
    """A mention's negatives, and how many of its candidates were skipped for the gold's title."""
    entities, scores = (candidates[name].to_numpy() for name in ("entity", "score"))
    first, last = settings.ranks or (1, len(entities))
    ranks = np.arange(1, len(entities) + 1)
    allowed = (ranks >= first) & (ranks <= last) & (entities != gold.entity)
    drawn = round(settings.random * settings.per_mention)
    title, places, skipped = normal_title(gold.title), [], 0
    for place in np.flatnonzero(allowed):
        if len(places) == settings.per_mention - drawn:
            break
        if normal_title(candidates["title"][place].as_py()) == title:
            skipped += 1
        else:
            places.append(place)
    mined = entities[places].tolist()
    further = _draw(drawn, gold, {gold.entity, *mined}, random)
    row = {
        "negatives": mined + further,
        "ranks": ranks[places].tolist() + [0] * len(further),
        "scores": scores[places].tolist() + [None] * len(further),
    }
    return row, skipped


def _draw(size: int, gold: Gold, taken: set[int], random: np.random.Generator) -> list[int]:
    """``size`` entities drawn evenly from all that are not taken; all of these if fewer."""
    drawn: dict[int, None] = {}
    while len(drawn) < min(size, gold.among - len(taken)):
        if (entity := int(random.integers(gold.among))) not in taken:
            drawn[entity] = None
    return list(drawn)


def _golds_of_worlds(mentions: str | Path, entities: str | Path) -> tuple[int, dict[str, Gold]]:
    """The number of training mentions, and the gold of each."""
    table = read_mentions(mentions, "train")
    worlds = pc.unique(table["world"]).to_pylist()
    titles = titles_by_world(entities, worlds)
    columns = (table[name].to_pylist() for name in ("mention_id", "world", "gold"))
    golds = {
        mention: Gold(gold, titles[world][gold], len(titles[world]))
        for mention, world, gold in zip(*columns, strict=True)
    }
    return table.num_rows, golds


def _golds_of_base(mentions: str | Path, base: KnowledgeBase) -> tuple[int, dict[str, Gold]]:
    """The number of mentions, and the gold of each whose gold is in the base, in their order."""
    table = read_linked_mentions(mentions)
    inside = table.filter(table["gold"].is_valid())
    if not inside.num_rows:
        raise InputError(f"{mentions}: no mention has its gold entity in the knowledge base.")
    distinct, inverse = np.unique(inside["gold"].to_numpy(), return_inverse=True)
    titles = base.titles(distinct)
    golds = {
        mention: Gold(int(distinct[at]), titles[at], len(base))
        for mention, at in zip(inside["mention_id"].to_pylist(), inverse, strict=True)
    }
    return table.num_rows, golds
