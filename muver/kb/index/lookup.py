"""What a part's entities are looked up by: their words, their names, and the letters of these.

It is made once, when a part is written, and lies in its file, memory-mapped.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

from muver.retriever.corpus.texts import in_one_form, split
from muver.retriever.retrieval.signals import NGRAM_LENGTHS

TABLE = pa.struct([
    ("keys", pa.list_(pa.uint64())),
    ("starts", pa.list_(pa.int32())),
    ("rows", pa.list_(pa.int32())),
    ("counts", pa.list_(pa.uint16())),
])  # fmt: skip
MOST_COUNTED = 2**16 - 1  # what an uint16 holds
# Of n-grams' hashes; odd, so that two that differ in one character have different hashes.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
SPACE = ord(" ")
LOOKED_UP = [
    ("words", TABLE),  # of entities
    ("length_in_words", pa.int32()),
    ("letters", TABLE),  # of names
    ("folded", pa.list_(pa.uint64())),  # a key of each name as it is compared
]


def keys_of(texts: Iterable[str]) -> np.ndarray:
    """(texts,) uint64: a key of 64 bits for each."""
    coded = (text.encode("utf-8", "surrogatepass") for text in texts)
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in coded)
    return np.frombuffer(digests, "<u8")


def positions(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(wanted,) the position of each among increasing keys; -1 where it is not one of them."""
    first = np.searchsorted(keys, wanted)
    return np.where(first < np.searchsorted(keys, wanted, "right"), first, -1)


class Table(NamedTuple):
    """``keys``, (keys,) uint64, increase; the rows that have the n-th, increasing too, are
    ``rows[starts[n] : starts[n + 1]]``, and ``counts``, from 1 on, say how often each has it.
    """

    keys: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, values: pa.Array, rows: np.ndarray, size: int) -> "Table":
        """Count values, keys or texts, by row: ``values[n]`` is in ``rows[n]``, one of ``size``."""
        encoded = values.dictionary_encode()
        known = encoded.dictionary
        keys = keys_of(known.to_pylist()) if pa.types.is_string(known.type) else known.to_numpy()
        order = np.argsort(keys)
        ranks = np.argsort(order)[encoded.indices.to_numpy()]
        where, ones = (ranks.astype(np.int32), rows.astype(np.int32)), np.ones(len(rows), np.int32)
        table = sparse.csr_array((ones, where), shape=(len(keys), size))
        counts = np.minimum(table.data, MOST_COUNTED).astype(np.uint16)
        return cls(keys[order], table.indptr, table.indices, counts)

    @classmethod
    def read(cls, column: pa.StructArray) -> "Table":
        """The table in a column of a part, without a copy."""
        return cls(*(column.field(name).values.to_numpy() for name in cls._fields))

    def column(self, entities: int) -> pa.Array:
        """The table as a column of a part, with a row an entity: the first one holds it all."""
        after = np.minimum(np.arange(entities + 1, dtype=np.int32), 1)
        lists = [
            pa.ListArray.from_arrays(pa.array(after * len(values), pa.int32()), pa.array(values))
            for values in self
        ]
        return pa.StructArray.from_arrays(lists, fields=list(TABLE))

    def matrix(self, size: int) -> sparse.csr_array:
        """(keys, size) the counts; a ValueError if rows or starts lie outside."""
        table = sparse.csr_array(
            (self.counts, self.rows, self.starts), shape=(len(self.keys), size)
        )
        table.check_format()
        return table

    def having(self, keys: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each key the rows that have it, and how often."""
        ends = (self.starts[np.searchsorted(self.keys, keys, side)] for side in ("left", "right"))
        return [(self.rows[a:b], self.counts[a:b]) for a, b in zip(*ends, strict=True)]


def folded(name: str) -> str:
    """A name as it is compared: in one form, without regard to spaces.

    >>> folded("The  Old\\nGATE") == folded("the old gate")
    True
    """
    return " ".join(in_one_form(name).split())


def ngrams(names: Sequence[str]) -> Table:
    """A table of the character n-grams of each name, of :data:`NGRAM_LENGTHS` characters.

    An n-gram keeps to a word with a space on each side, in one form.
    """
    spaced = ["".join(f" {word} " for word in in_one_form(name).split()) for name in names]
    characters = np.frombuffer("".join(spaced).encode("utf-32-le", "surrogatepass"), np.uint32)
    name_of = np.repeat(np.arange(len(names)), list(map(len, spaced)))
    ends = np.flatnonzero((characters[:-1] == SPACE) & (characters[1:] == SPACE))
    word_of = np.zeros(len(characters), np.int64)
    word_of[ends + 1] = 1
    word_of = np.cumsum(word_of)
    keys, owners = [], []
    shortest, longest = NGRAM_LENGTHS
    with np.errstate(over="ignore"):
        hashed = characters.astype(np.uint64)  # the n-gram that begins at each character
        for length in range(2, longest + 1):
            last = characters[length - 1 :].astype(np.uint64)
            hashed = (hashed[: len(last)] + np.uint64(1)) * FACTOR + last
            if length >= shortest:
                in_a_word = word_of[: len(last)] == word_of[length - 1 :]
                keys.append(hashed[in_a_word])
                owners.append(name_of[: len(last)][in_a_word])
    return Table.of(pa.array(np.concatenate(keys)), np.concatenate(owners), len(names))


def looked_up(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    """The columns of a part by which its words and names are looked up."""
    texts = (columns[name].to_pylist() for name in ("title", "aliases", "description"))
    rows = list(zip(*texts, strict=True))
    names = [[title, *aliases] for title, aliases, _ in rows]
    texts = [" ".join([title, *aliases, text]) for title, aliases, text in rows]
    words, flat, entities = split(texts), [*chain.from_iterable(names)], len(names)
    lengths, ends = list(map(len, words)), np.cumsum([0, *map(len, names)])
    every = pa.array([*chain.from_iterable(words)], pa.string())
    table = Table.of(every, np.repeat(np.arange(entities), lengths), entities)
    keys = pa.array(keys_of(map(folded, flat)))
    return {
        "words": table.column(entities),
        "length_in_words": pa.array(lengths, pa.int32()),
        "letters": ngrams(flat).column(entities),
        "folded": pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), keys),
    }
