"""What the explorer needs of a corpus: mentions of a split, entities of their worlds."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from muver.corpus.schema import ENTITIES, SENTENCES, read_mentions
from muver.io.errors import InputError
from muver.report.places import Places


@dataclass(frozen=True)
class Corpus:
    """Mentions and entities, the entities of all worlds under each other.

    Attributes
    ----------
    mentions
        Of the split, in the corpus' order.
    worlds
        Names of their worlds, sorted.
    world : (mentions,)
        Number of each mention's world.
    offsets : (worlds + 1,)
        Where a world's entities begin.
    titles, documents
        Of all entities of these worlds.
    same_title : (entities,)
        The first entity of the same world with the same title.
    gold : (mentions,)
        The gold entity's place among all.
    """

    mentions: pa.Table
    worlds: list[str]
    world: np.ndarray
    offsets: np.ndarray
    titles: pa.Array
    documents: pa.Array
    same_title: np.ndarray
    gold: np.ndarray


def read_corpus(places: Places, split: str) -> Corpus:
    """Read a split's mentions and the entities of their worlds, without the descriptions.

    Raises
    ------
    InputError
        If a file is missing or damaged, or a mention's gold entity is not there.
    """
    mentions = read_mentions(places.mentions, split)
    names = np.array(mentions["world"].to_pylist(), dtype=object)
    worlds = sorted(set(names))
    if not worlds:
        raise InputError(f"{places.mentions}: no mentions in split {split!r}.")
    number = {name: n for n, name in enumerate(worlds)}
    world = np.array([number[name] for name in names])
    table = _columns(places.entities, ENTITIES, ["world", "title", "document_id"], worlds)
    owners = table["world"].combine_chunks().dictionary_encode()
    own = np.array([number[name] for name in owners.dictionary.to_pylist()])
    own = own[owners.indices.to_numpy()]
    if (np.diff(own) < 0).any():
        raise InputError(f"{places.entities}: the entities are not sorted by world.")
    offsets = np.r_[0, np.cumsum(np.bincount(own, minlength=len(worlds)))]
    gold = offsets[world] + mentions["gold"].to_numpy()
    if (gold >= offsets[world + 1]).any():
        raise InputError(f"{places.entities}: a mention's gold entity is not in it: other data.")
    titles = table["title"].combine_chunks()
    return Corpus(
        mentions, worlds, world, offsets, titles, table["document_id"].combine_chunks(),
        _same_title(titles, own), gold,
    )  # fmt: skip


def read_descriptions(places: Places, corpus: Corpus, entities: np.ndarray) -> list[list[str]]:
    """Sentences of some entities.

    Parameters
    ----------
    entities : (n,)
        Places among all entities of the corpus.

    Raises
    ------
    InputError
        If the file is missing, damaged, or of other entities.
    """
    table = _columns(places.sentences, SENTENCES, ["sentences"], corpus.worlds)
    if table.num_rows != corpus.offsets[-1]:
        raise InputError(
            f"{places.sentences}: sentences of {table.num_rows} entities, the corpus has "
            f"{corpus.offsets[-1]} in these worlds: files of different runs."
        )
    return table["sentences"].take(pa.array(entities)).to_pylist()


def sample(corpus: Corpus, limit: int) -> np.ndarray:
    """At most ``limit`` mentions, evenly from all worlds: their numbers, (n,), in order."""
    total = len(corpus.world)
    if total <= limit:
        return np.arange(total)
    by_world = np.argsort(corpus.world, kind="stable")
    return np.sort(by_world[np.arange(limit) * total // limit])


def _same_title(titles: pa.Array, own: np.ndarray) -> np.ndarray:
    codes = titles.dictionary_encode().indices.to_numpy()
    _, first, inverse = np.unique(
        own.astype(np.int64) * (len(codes) + 1) + codes, return_index=True, return_inverse=True
    )
    return first[inverse]


def _columns(
    path: Path, schema: pa.Schema, columns: Sequence[str], worlds: Sequence[str]
) -> pa.Table:
    """Some columns of a canonical table; :mod:`muver.corpus.schema` reads all of them."""
    try:
        if not pq.read_schema(path).equals(schema):
            raise InputError(f"{path}: has other columns. Make it again with this version.")
        table = pq.read_table(
            path, columns=list({"world", *columns}), partitioning=None,
            filters=pc.field("world").isin(list(worlds)),
        )  # fmt: skip
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from None
    return table.select(list(columns))
