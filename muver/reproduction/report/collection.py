"""The collections that mentions are linked to, as the explorer needs them.

A collection is a dataset of worlds (ZESHEL), where candidates come from the mention's own world,
or one knowledge base (Wikipedia), where every entity is a candidate. Entities are numbered through
all worlds here; a run numbers those of each world from 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.parquet import read_table
from muver.reproduction.report.results import RunFiles, System
from muver.retriever.corpus.knowledge_base import KnowledgeBase
from muver.retriever.corpus.schema import ENTITIES, SENTENCES, read_linked_mentions, read_mentions
from muver.retriever.runs.run import best_ranks, mentions_of_rows, read_run

LARGE = 5000  # entities; of a larger knowledge base so many candidates are shown in all
BYTES_READ = 512 * 2**20  # of the files with the paragraphs of a knowledge base
Texts = list[list[str] | None]


@dataclass(frozen=True)
class Collection:
    """Mentions with their gold entities, and the entities that are candidates."""

    unit: str  # what a description is made of: "sentence" or "paragraph"
    grouped_by: str  # what mentions are grouped by: "World" or "Set"
    groups: list[str]  # their names
    mentions: pa.Table  # whose gold entity is in the collection
    group: np.ndarray  # (mentions,) number of each one's group
    sets: dict[str, np.ndarray]  # numbers of the mentions of each set
    candidates: np.ndarray  # (2, mentions) first and end of the entities that compete for each
    gold: np.ndarray  # (mentions,) number of each one's gold entity
    titles: Callable[[np.ndarray], list[str]]  # by numbers of entities
    texts: Callable[[np.ndarray], Texts]  # sentences or paragraphs; None where they are not read
    # (entities,) the first entity of the same world and title; over a knowledge base titles differ
    namesake: np.ndarray | None = None
    # By set, ids of mentions that runs rank for but whose gold entity is outside the collection
    outside: dict[str, pa.Array] = field(default_factory=dict)
    large: bool = False  # only few of its entities can be shown

    def is_gold(self, entity: np.ndarray, mention: np.ndarray, match: str) -> np.ndarray:
        """Whether candidates are the gold entity; by ``title`` also those of the same title."""
        gold = self.gold[mention]
        if match == "title" and self.namesake is not None:
            return self.namesake[entity] == self.namesake[gold]
        return entity == gold

    def sample(self, mentions: int, candidates: int) -> np.ndarray:
        """Numbers of at most so many mentions, in order, drawn evenly from all groups: (n,).

        ``candidates`` are those of a mention in all rows; a large collection shows about `LARGE`.
        """
        limit = max(1, LARGE // (candidates + 1)) if self.large else mentions
        total, limit = len(self.group), min(mentions, limit)
        if total <= limit:
            return np.arange(total)
        by_group = np.argsort(self.group, kind="stable")
        return np.sort(by_group[np.arange(limit) * total // limit])


def worlds(files: RunFiles, split: str) -> Collection:
    """The mentions of a split and the entities of their worlds, world after world."""
    mentions = read_mentions(files.corpus("mentions.parquet"), split)
    names = mentions["world"].to_pylist()
    groups = sorted(set(names))
    entities, among = files.corpus("entities.parquet"), [("world", "in", groups)]
    table = read_table(
        entities, ENTITIES, "a table of entities", "corpus", among, ["world", "title"]
    )
    group, owner = (np.searchsorted(groups, of) for of in (names, table["world"].to_pylist()))
    ends = np.cumsum(np.bincount(owner, minlength=len(groups)))
    candidates = np.stack([np.r_[0, ends[:-1]], ends])[:, group]
    gold = candidates[0] + mentions["gold"].to_numpy()
    titles = table["title"].combine_chunks()
    return Collection(
        "sentence", "World", groups, mentions, group, {split: np.arange(len(names))}, candidates,
        gold, lambda entities: titles.take(pa.array(entities)).to_pylist(),
        partial(_sentences, files, groups), _namesakes(titles, owner),
    )  # fmt: skip


def _namesakes(titles: pa.Array, owner: np.ndarray) -> np.ndarray:
    codes = titles.dictionary_encode().indices.to_numpy()
    pairs = owner.astype(np.int64) * (len(codes) + 1) + codes
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    return first[inverse]


def _sentences(files: RunFiles, groups: list[str], entities: np.ndarray) -> Texts:
    among = [("world", "in", groups)]
    table = read_table(
        files.sentences, SENTENCES, "a table of sentences", "segment", among, ["sentences"]
    )
    return table["sentences"].take(pa.array(entities)).to_pylist()


def knowledge_base(files: RunFiles, titles: dict[str, str]) -> Collection:
    """The mentions whose gold entity is in the knowledge base; ``titles`` name their sets."""
    base = KnowledgeBase(files.kb)
    tables = {name: read_linked_mentions(files.set_mentions(name)) for name in titles}
    inside = [table.filter(table["gold"].is_valid()) for table in tables.values()]
    mentions = pa.concat_tables(inside)
    group = np.repeat(np.arange(len(inside)), [table.num_rows for table in inside])
    return Collection(
        "paragraph", "Set", list(titles.values()), mentions, group,
        {name: np.flatnonzero(group == n) for n, name in enumerate(titles)},
        np.repeat([[0], [len(base)]], len(group), axis=1), mentions["gold"].to_numpy(),
        base.titles, partial(_paragraphs, base),
        outside={
            name: table["mention_id"].filter(table["gold"].is_null()).combine_chunks()
            for name, table in tables.items()
        },
        large=len(base) > LARGE,
    )  # fmt: skip


def _paragraphs(base: KnowledgeBase, entities: np.ndarray) -> Texts:
    """Paragraphs of entities in the parts that hold most of them, `BYTES_READ` at most."""
    parts = base.manifest["parts"]
    owner = np.searchsorted([part["first"] for part in parts], entities, "right") - 1
    numbers, counts = np.unique(owner, return_counts=True)
    numbers = numbers[np.argsort(-counts, kind="stable")]
    paths = [base.folder / parts[number]["file"] for number in numbers]
    # A missing part has no size; reading it says that it is missing.
    sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
    read = np.isin(owner, numbers[np.cumsum(sizes) <= BYTES_READ])
    texts = iter(base.rows(entities[read], ["paragraphs"])["paragraphs"].to_pylist())
    return [next(texts) if one else None for one in read]


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
    """A system's runs on all sets.

    Of the mentions ``chosen`` (n,) the first ``keep`` candidates and the gold entity are kept.
    """
    runs, mentions = [], []
    for name, numbers in collection.sets.items():
        run = read_run(files.run(system.name, name))
        if name in collection.outside:
            run = run.filter(pc.invert(pc.is_in(run["mention_id"], collection.outside[name])))
        ids = collection.mentions["mention_id"].take(numbers).to_pylist()
        runs.append(run)
        mentions.append(numbers[mentions_of_rows(run, ids)])
    run, mention = pa.concat_tables(runs), np.concatenate(mentions)
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
