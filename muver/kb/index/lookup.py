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
from muver.retriever.retrieval.signals import LENGTHS

TABLE = pa.struct([
    ("keys", pa.list_(pa.uint64())),
    ("starts", pa.list_(pa.int32())),
    ("rows", pa.list_(pa.int32())),
    ("counts", pa.list_(pa.uint16())),
])  # fmt: skip
MOST = 2**16 - 1  # that a count says
LARGE = np.uint64(0x9E3779B97F4A7C15)  # odd: no two runs of one character become one number
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


def places(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(wanted,) where each stands among increasing keys; -1 where it does not."""
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
    def of(cls, there: pa.Array, rows: np.ndarray, size: int) -> "Table":
        """Count keys: ``rows[n]``, one of ``size`` rows, has ``there[n]``, a number or a text."""
        encoded = there.dictionary_encode()
        known = encoded.dictionary
        keys = keys_of(known.to_pylist()) if pa.types.is_string(known.type) else known.to_numpy()
        order = np.argsort(keys)
        ranks = np.argsort(order)[encoded.indices.to_numpy()]
        where, ones = (ranks.astype(np.int32), rows.astype(np.int32)), np.ones(len(rows), np.int32)
        table = sparse.csr_array((ones, where), shape=(len(keys), size))
        counts = np.minimum(table.data, MOST).astype(np.uint16)
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


def letters(names: Sequence[str]) -> Table:
    """A table of the runs of characters in each name.

    A run keeps to a word with a space on each side, in one form.
    """
    spaced = ["".join(f" {word} " for word in in_one_form(name).split()) for name in names]
    letters = np.frombuffer("".join(spaced).encode("utf-32-le", "surrogatepass"), np.uint32)
    owners = np.repeat(np.arange(len(names)), list(map(len, spaced)))
    ends = np.flatnonzero((letters[:-1] == SPACE) & (letters[1:] == SPACE))
    words = np.zeros(len(letters), np.int64)  # the number of the word at each character
    words[ends + 1] = 1
    words = np.cumsum(words)
    numbers, of = [], []
    shortest, longest = LENGTHS
    with np.errstate(over="ignore"):
        number = letters.astype(np.uint64)
        for length in range(2, longest + 1):
            after = letters[length - 1 :].astype(np.uint64)
            number = (number[: len(after)] + np.uint64(1)) * LARGE + after
            if length >= shortest:
                within = words[: len(after)] == words[length - 1 :]
                numbers.append(number[within])
                of.append(owners[: len(after)][within])
    return Table.of(pa.array(np.concatenate(numbers)), np.concatenate(of), len(names))


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
        "letters": letters(flat).column(entities),
        "folded": pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), keys),
    }
