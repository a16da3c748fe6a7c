"""The collections that mentions are linked to, as the explorer needs them.

A collection is a dataset of worlds (ZESHEL), where candidates come from the mention's own world,
or one knowledge base (Wikipedia), where every entity is a candidate.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.corpus.kilt.lookup import KnowledgeBase
from muver.corpus.schema import ENTITIES, SENTENCES, read_linked_mentions, read_mentions
from muver.io.errors import InputError
from muver.io.parquet import read_table
from muver.report.files import RunFiles

LARGE = 5000  # entities; of a larger knowledge base so many candidates are shown in all
BYTES_READ = 512 * 2**20  # of the files with the paragraphs of a knowledge base


class Collection(ABC):
    """Mentions with their gold entities, and the entities that are candidates.

    Attributes
    ----------
    unit
        What a description is made of: ``sentence`` or ``paragraph``.
    grouped_by
        What mentions are grouped by: ``World`` or ``Set``.
    groups
        Names of these groups.
    sets
        Which mentions belong to each set: (mentions of the set,) by name of the set.
    outside
        By name of the set, ids of mentions that a run may rank for and that are left out, since
        their gold entity is outside the collection.
    mentions
        All mentions whose gold entity is in the collection.
    group : (mentions,)
        Number of each mention's group.
    gold : (mentions,)
        Number of each mention's gold entity among all entities.
    """

    unit: str
    grouped_by: str
    groups: list[str]
    sets: dict[str, np.ndarray]
    outside: dict[str, pa.Array]
    mentions: pa.Table
    group: np.ndarray
    gold: np.ndarray

    @abstractmethod
    def entities_of(self, run: pa.Table, mention: np.ndarray) -> np.ndarray | None:
        """Number among all entities of each row's candidate: (rows,).

        Parameters
        ----------
        mention : (rows,)
            Number of each row's mention.

        Returns
        -------
        None if the candidates are not entities of this collection.
        """

    @abstractmethod
    def same(self, one: np.ndarray, other: np.ndarray, match: str) -> np.ndarray:
        """Whether entities are the same; by ``title`` also those of one title in one world."""

    @abstractmethod
    def titles(self, entities: np.ndarray) -> list[str]:
        """Titles of entities."""

    @abstractmethod
    def texts(self, entities: np.ndarray) -> list[list[str] | None]:
        """Sentences or paragraphs of entities; None where they are not read."""

    def at_most(self, mentions: int, candidates: int) -> int:
        """How many mentions to show, of ``mentions`` asked for and so many candidates each."""
        return mentions

    def sample(self, limit: int) -> np.ndarray:
        """Numbers of at most ``limit`` mentions, in order, drawn evenly from all groups: (n,)."""
        total = len(self.group)
        if total <= limit:
            return np.arange(total)
        by_group = np.argsort(self.group, kind="stable")
        return np.sort(by_group[np.arange(limit) * total // limit])


class Worlds(Collection):
    """The mentions of a split and the entities of their worlds, world after world.

    Raises
    ------
    InputError
        If a file is missing or damaged, or a gold entity is not in its world.
    """

    unit, grouped_by = "sentence", "World"

    def __init__(self, files: RunFiles, split: str):
        self.mentions = read_mentions(files.mentions, split)
        names = self.mentions["world"].to_pylist()
        self.groups = sorted(set(names))
        if not self.groups:
            raise InputError(f"{files.mentions}: no mentions in split {split!r}.")
        self.sets, self.outside = {split: np.arange(len(names))}, {}
        self.group = np.searchsorted(self.groups, names)
        self._sentences = files.sentences
        table = self._read(files.entities, ENTITIES, ["world", "title"])
        owner = np.searchsorted(self.groups, table["world"].to_pylist())
        if (np.diff(owner) < 0).any():
            raise InputError(f"{files.entities}: the entities are not sorted by world.")
        self._titles = table["title"].combine_chunks()
        self._first = _first_of_title(self._titles, owner)
        self._ends = np.cumsum(np.bincount(owner, minlength=len(self.groups)))
        self._starts = np.r_[0, self._ends[:-1]]
        self.gold = self._starts[self.group] + self.mentions["gold"].to_numpy()
        if (self.gold >= self._ends[self.group]).any():
            raise InputError(f"{files.entities}: a gold entity is not in it: files of other data.")

    def entities_of(self, run: pa.Table, mention: np.ndarray) -> np.ndarray | None:
        """As of every collection; a run numbers the entities of each world from 0."""
        world, number = self.group[mention], run["entity"].to_numpy()
        entity = self._starts[world] + number
        inside = (number >= 0) & (entity < self._ends[world])
        titles = run["title"].combine_chunks()
        known = inside.all() and self._titles.take(pa.array(entity)).equals(titles)
        return entity if known else None

    def same(self, one: np.ndarray, other: np.ndarray, match: str) -> np.ndarray:
        """As of every collection."""
        return self._first[one] == self._first[other] if match == "title" else one == other

    def titles(self, entities: np.ndarray) -> list[str]:
        """As of every collection."""
        return self._titles.take(pa.array(entities)).to_pylist()

    def texts(self, entities: np.ndarray) -> list[list[str] | None]:
        """Sentences of entities.

        Raises
        ------
        InputError
            If the file is missing, damaged, or of other entities.
        """
        table = self._read(self._sentences, SENTENCES, ["sentences"])
        if table.num_rows != len(self._titles):
            raise InputError(
                f"{self._sentences}: sentences of {table.num_rows} entities, the corpus has "
                f"{len(self._titles)} in these worlds: files of different runs."
            )
        return table["sentences"].take(pa.array(entities)).to_pylist()

    def _read(self, path: Path, schema: pa.Schema, columns: Sequence[str]) -> pa.Table:
        """Some columns, of the entities of these worlds; the others are large."""
        among = [("world", "in", self.groups)]
        return read_table(path, schema, f"the corpus' {path.stem}", "corpus", among, columns)


class Linked(Collection):
    """The mentions of several sets whose gold entity is in the knowledge base.

    Parameters
    ----------
    titles
        What the table calls the sets, by name of the set.

    Raises
    ------
    InputError
        If a file is missing or damaged.
    """

    unit, grouped_by = "paragraph", "Set"

    def __init__(self, files: RunFiles, titles: dict[str, str]):
        self.base = KnowledgeBase(files.kb)
        self.groups = list(titles.values())
        self.outside, tables = {}, []
        for name in titles:
            table = read_linked_mentions(files.set_mentions(name))
            inside = table["gold"].is_valid()
            tables.append(table.filter(inside))
            self.outside[name] = table["mention_id"].filter(pc.invert(inside)).combine_chunks()
        self.mentions = pa.concat_tables(tables)
        self.group = np.repeat(np.arange(len(tables)), [table.num_rows for table in tables])
        self.sets = {name: np.flatnonzero(self.group == n) for n, name in enumerate(titles)}
        self.gold = self.mentions["gold"].to_numpy()

    def entities_of(self, run: pa.Table, mention: np.ndarray) -> np.ndarray | None:
        """As of every collection; a run has the numbers of the knowledge base."""
        entity = run["entity"].to_numpy()
        return entity if ((entity >= 0) & (entity < len(self.base))).all() else None

    def same(self, one: np.ndarray, other: np.ndarray, match: str) -> np.ndarray:
        """As of every collection; titles of a knowledge base are unique."""
        return one == other

    def titles(self, entities: np.ndarray) -> list[str]:
        """As of every collection."""
        return self.base.titles(entities)

    def texts(self, entities: np.ndarray) -> list[list[str] | None]:
        """Paragraphs of the entities in the parts that have most of them, `BYTES_READ` at most."""
        parts = self.base.manifest["parts"]
        owner = np.searchsorted([part["first"] for part in parts], entities, "right") - 1
        numbers, counts = np.unique(owner, return_counts=True)
        numbers = numbers[np.argsort(-counts, kind="stable")]
        paths = [self.base.folder / parts[number]["file"] for number in numbers]
        # A missing part has no size; reading it says that it is missing.
        sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
        read = np.flatnonzero(np.isin(owner, numbers[np.cumsum(sizes) <= BYTES_READ]))
        texts: list[list[str] | None] = [None] * len(entities)
        rows = self.base.rows(entities[read], ["paragraphs"])["paragraphs"].to_pylist()
        for number, paragraphs in zip(read, rows, strict=True):
            texts[number] = paragraphs
        return texts

    def at_most(self, mentions: int, candidates: int) -> int:
        """Of a large knowledge base only so many that about `LARGE` entities are shown."""
        small = len(self.base) <= LARGE
        return mentions if small else min(mentions, max(1, LARGE // (candidates + 1)))


def _first_of_title(titles: pa.Array, owner: np.ndarray) -> np.ndarray:
    """The first entity of the same world with the same title: (entities,)."""
    codes = titles.dictionary_encode().indices.to_numpy()
    _, first, inverse = np.unique(
        owner.astype(np.int64) * (len(codes) + 1) + codes, return_index=True, return_inverse=True
    )
    return first[inverse]
