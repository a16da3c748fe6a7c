"""Tables of a part: which of its rows have a word or a run of letters, and how often.

They are made once, when a part is written, and lie in its file, memory-mapped.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

TABLE = pa.struct([
    ("keys", pa.list_(pa.uint64())),
    ("starts", pa.list_(pa.int32())),
    ("rows", pa.list_(pa.int32())),
    ("counts", pa.list_(pa.uint16())),
])  # fmt: skip
MOST = 2**16 - 1  # that a count says


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
        found = sparse.csr_array((ones, where), shape=(len(keys), size))
        counts = np.minimum(found.data, MOST).astype(np.uint16)
        return cls(keys[order], found.indptr, found.indices, counts)

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
        found = sparse.csr_array(
            (self.counts, self.rows, self.starts), shape=(len(self.keys), size)
        )
        found.check_format()
        return found

    def having(self, keys: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each key the rows that have it, and how often."""
        ends = (self.starts[np.searchsorted(self.keys, keys, side)] for side in ("left", "right"))
        return [(self.rows[a:b], self.counts[a:b]) for a, b in zip(*ends, strict=True)]
