"""The mentions of a split and the entities of their worlds, as the explorer needs them.

Entities are numbered through all worlds here; a run numbers those of each world from 0.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from muver.io.parquet import read_table
from muver.reproduction.report.results import RunFiles, System
from muver.retriever.corpus.schema import ENTITIES, SENTENCES, read_mentions
from muver.retriever.runs.run import best_ranks, mentions_of_rows, read_run


@dataclass(frozen=True)
class Collection:
    """Mentions with their gold entities, and the entities that are candidates."""

    split: str  # of the mentions
    worlds: list[str]  # their names
    mentions: pa.Table
    world: np.ndarray  # (mentions,) number of each one's world
    candidates: np.ndarray  # (2, mentions) first and end of the entities that compete for each
    gold: np.ndarray  # (mentions,) number of each one's gold entity
    titles: pa.Array  # (entities,)
    namesake: np.ndarray  # (entities,) the first entity of the same world and title

    def is_gold(self, entity: np.ndarray, mention: np.ndarray, match: str) -> np.ndarray:
        """Whether candidates are the gold entity; by ``title`` also those of the same title."""
        gold = self.gold[mention]
        if match == "title":
            return self.namesake[entity] == self.namesake[gold]
        return entity == gold

    def sample(self, limit: int) -> np.ndarray:
        """Numbers of at most ``limit`` mentions, in order, drawn evenly from all worlds: (n,)."""
        total = len(self.world)
        if total <= limit:
            return np.arange(total)
        by_world = np.argsort(self.world, kind="stable")
        return np.sort(by_world[np.arange(limit) * total // limit])


def read_collection(files: RunFiles, split: str) -> Collection:
    """The mentions of a split and the entities of their worlds, world after world."""
    mentions = read_mentions(files.corpus("mentions.parquet"), split)
    names = mentions["world"].to_pylist()
    worlds = sorted(set(names))
    entities, among = files.corpus("entities.parquet"), [("world", "in", worlds)]
    table = read_table(
        entities, ENTITIES, "a table of entities", "corpus", among, ["world", "title"]
    )
    world, owner = (np.searchsorted(worlds, of) for of in (names, table["world"].to_pylist()))
    ends = np.cumsum(np.bincount(owner, minlength=len(worlds)))
    candidates = np.stack([np.r_[0, ends[:-1]], ends])[:, world]
    gold = candidates[0] + mentions["gold"].to_numpy()
    titles = table["title"].combine_chunks()
    return Collection(
        split, worlds, mentions, world, candidates, gold, titles, _namesakes(titles, owner)
    )


def _namesakes(titles: pa.Array, owner: np.ndarray) -> np.ndarray:
    codes = titles.dictionary_encode().indices.to_numpy()
    pairs = owner.astype(np.int64) * (len(codes) + 1) + codes
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    return first[inverse]


def read_sentences(files: RunFiles, worlds: list[str], entities: np.ndarray) -> list[list[str]]:
    """The sentences of entities, by their numbers."""
    among = [("world", "in", worlds)]
    table = read_table(
        files.sentences, SENTENCES, "a table of sentences", "segment", among, ["sentences"]
    )
    return table["sentences"].take(pa.array(entities)).to_pylist()


@dataclass(frozen=True)
class Ranking:
    """The first candidates of each mention shown, and the gold entity wherever it stands."""

    rank: np.ndarray  # (mentions,) of the gold entity in the whole run, from 1; 0 = not retrieved
    counts: np.ndarray  # (mentions,) how many candidates are kept of each
    entity: np.ndarray  # (candidates,) number of each one kept, among all of the collection
    kept: pa.Table  # (candidates,) the rows of the run, mention after mention
    depth: int  # how many candidates a mention the run has at most


def read_ranking(
    system: System, collection: Collection, chosen: np.ndarray, keep: int, files: RunFiles
) -> Ranking:
    """A system's run.

    Of the mentions ``chosen`` (n,) the first ``keep`` candidates and the gold entity are kept.
    """
    run = read_run(files.run(system.name, collection.split))
    mention = mentions_of_rows(run, collection.mentions["mention_id"].to_pylist())
    entity = collection.candidates[0, mention] + run["entity"].to_numpy()
    hits = collection.is_gold(entity, mention, system.settings["retrieve"].get("match", "title"))
    ranks = best_ranks(run, mention, hits, len(collection.gold))
    place = run["rank"].to_numpy()
    wanted = np.isin(mention, chosen) & ((place <= keep) | (place == ranks[mention]))
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(mention[rows], kind="stable")]
    return Ranking(
        rank=ranks[chosen],
        counts=np.bincount(mention[rows], minlength=len(ranks))[chosen],
        entity=entity[rows],
        kept=run.take(rows),
        depth=int(place.max(initial=0)),
    )
