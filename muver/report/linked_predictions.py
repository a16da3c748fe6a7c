"""The predictions of Table 2 for the explorer: each set as a world, paragraphs as sentences.

Mentions whose gold entity is outside the knowledge base have no rank and are left out. Of a large
base so many mentions are drawn that they have about ``ENTITIES`` candidates; of these the titles
are read, and the paragraphs in the parts that hold most of them, up to ``READ`` bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.corpus.kilt.lookup import KnowledgeBase
from muver.corpus.schema import read_linked_mentions
from muver.io.errors import InputError
from muver.report.descriptions import fit, shorten
from muver.report.explorer import Data, mention_columns, row_columns, sentences_needed
from muver.report.linked import LinkedSystem
from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.rankings import Ranking, check_run, cut
from muver.runs.run import best_ranks, mentions_of_rows, ranked_mentions, read_run

ENTITIES = 5000
READ = 512 * 2**20


@dataclass(frozen=True)
class Sets:
    """Mentions of all sets under each other, those whose gold is in the knowledge base.

    Attributes
    ----------
    names, titles
        Of the sets, and what the table calls them.
    outside
        Ids of the further mentions of each set.
    world : (mentions,)
        Number of each mention's set.
    gold : (mentions,)
        Global numbers of their entities.
    """

    names: list[str]
    titles: list[str]
    table: pa.Table
    outside: list[pa.Array]
    world: np.ndarray
    gold: np.ndarray


def explore_linked(
    systems: Sequence[LinkedSystem],
    places: Places,
    settings: Mapping[str, Any],
    problems: Problems,
) -> Data | None:
    """The predictions of all systems whose runs can be read; None without any.

    Returns
    -------
    In the form of :mod:`muver.report.explorer`.
    """
    known = [system for system in systems if system.sets]
    if not known:
        return None
    sets, base = _read_sets(known[0], places), KnowledgeBase(places.kb)
    chosen = _sample(sets, base, len(known), settings)
    read = [_read(system, sets, chosen, base, places, settings, problems) for system in known]
    shown = [(system, own) for system, own in zip(known, read, strict=True) if own is not None]
    if not shown:
        return None
    entities = np.unique(np.concatenate([sets.gold[chosen], *(own.entity for _, own in shown)]))
    texts = _paragraphs(base, entities)
    limit = fit([sum(map(len, text or [])) for text in texts], settings["characters"])
    kept = [system for system, _ in shown], [own for _, own in shown]
    needed = sentences_needed(*kept, entities) if limit is not None else {}
    return {
        "dataset": known[0].evaluation["dataset"],
        "split": ", ".join(sets.names),
        "unit": "paragraph",
        "group": "Set",
        "total": len(sets.gold),
        "limit": limit,
        "keep": settings["candidates"],
        "cutoffs": known[0].evaluation["cutoffs"],
        "worlds": sets.titles,
        **mention_columns(
            sets.table.take(chosen), sets.world[chosen], sets.gold[chosen], entities
        ),
        "entities": {
            "title": base.titles(entities),
            "document": [str(number) for number in base.ids[entities]],
            "world": [0] * len(entities),
            "sentences": [None if text is None else len(text) for text in texts],
            "text": [
                None if text is None else shorten(text, needed.get(n, ()), limit)
                for n, text in enumerate(texts)
            ],
        },
        "rows": [row_columns(system, own, entities) for system, own in shown],
    }  # fmt: skip


def _read_sets(system: LinkedSystem, places: Places) -> Sets:
    names = list(system.sets)
    tables, outside = [], []
    for name in names:
        table = read_linked_mentions(places.of_set(name))
        inside = table["gold"].is_valid()
        tables.append(table.filter(inside))
        outside.append(table["mention_id"].filter(pc.invert(inside)).combine_chunks())
    whole = pa.concat_tables(tables)
    return Sets(
        names,
        [system.columns.get(name, name) for name in names],
        whole,
        outside,
        np.repeat(np.arange(len(names)), [table.num_rows for table in tables]),
        whole["gold"].to_numpy(),
    )


def _sample(
    sets: Sets, base: KnowledgeBase, systems: int, settings: Mapping[str, Any]
) -> np.ndarray:
    """Numbers of the mentions to show, (n,), evenly from all sets."""
    total, limit = len(sets.gold), settings["mentions"]
    if len(base) > ENTITIES:
        limit = min(limit, max(1, ENTITIES // (settings["candidates"] * systems + 1)))
    return np.arange(total) if total <= limit else np.arange(limit) * total // limit


def _read(
    system: LinkedSystem,
    sets: Sets,
    chosen: np.ndarray,
    base: KnowledgeBase,
    places: Places,
    settings: Mapping[str, Any],
    problems: Problems,
) -> Ranking | None:
    """The rankings of all sets under each other; None, which is told, if one cannot be read."""
    found = []
    for number, name in enumerate(sets.names):
        path = places.run(system.name, name)
        try:
            found.append(_read_set(system, number, sets, chosen, base, places, settings, problems))
        except InputError as error:
            told = str(error).replace(str(path), f"{places.shown(path)} on {name}")
            problems.tell(f"{system.method}: its predictions cannot be shown. {told}")
            return None
    per_candidate = ("place", "entity", "score", "layer", "first", "last")
    return Ranking(
        rank=np.sum([own.rank for own in found], axis=0),
        counts=np.sum([own.counts for own in found], axis=0),
        depth=max(own.depth for own in found),
        **{key: np.concatenate([getattr(own, key) for own in found]) for key in per_candidate},
    )  # fmt: skip


def _read_set(
    system: LinkedSystem,
    number: int,
    sets: Sets,
    chosen: np.ndarray,
    base: KnowledgeBase,
    places: Places,
    settings: Mapping[str, Any],
    problems: Problems,
) -> Ranking:
    """A run, as if it had ranked for the mentions of all sets."""
    name = sets.names[number]
    path = places.run(system.name, name)
    run = read_run(path)
    own = np.flatnonzero(sets.world == number)
    ids = sets.table["mention_id"].take(pa.array(own)).to_pylist()
    run = run.filter(pc.invert(pc.is_in(run["mention_id"], sets.outside[number])))
    if set(ranked_mentions(run)) != set(ids):
        raise InputError(f"{path}: ranks for other mentions than the set has: of other data.")
    mention, entity = own[mentions_of_rows(run, ids)], run["entity"].to_numpy()
    if len(entity) and not 0 <= entity.min() <= entity.max() < len(base):
        raise InputError(f"{path}: its entities are not the knowledge base's: of other data.")
    rank = best_ranks(run, mention, entity == sets.gold[mention], len(sets.gold))
    check_run(system, path, rank[own], places, problems, name)
    return cut(run, chosen, settings["candidates"], mention, entity, rank)


def _paragraphs(base: KnowledgeBase, entities: np.ndarray) -> list[list[str] | None]:
    """Paragraphs of entities, None of those in parts that are not read."""
    parts = base.manifest["parts"]
    owner = np.searchsorted([part["first"] for part in parts], entities, "right") - 1
    numbers, counts = np.unique(owner, return_counts=True)
    read, room = [], READ
    for number in numbers[np.argsort(-counts, kind="stable")]:
        path = base.folder / parts[number]["file"]
        room -= path.stat().st_size if path.is_file() else 0  # a missing one is told when read
        if room < 0:
            break
        read.append(number)
    there = np.flatnonzero(np.isin(owner, read))
    found: list[list[str] | None] = [None] * len(entities)
    texts = base.rows(entities[there], ["paragraphs"])["paragraphs"].to_pylist()
    for position, text in zip(there, texts, strict=True):
        found[position] = text
    return found
