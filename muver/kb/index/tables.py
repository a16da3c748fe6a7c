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
    ("counts", pa.list_(pa.float32())),
])  # fmt: skip


def keys_of(texts: Iterable[str]) -> np.ndarray:
    """(texts,) uint64: a key of 64 bits for each."""
    coded = (text.encode("utf-8", "surrogatepass") for text in texts)
    digests = b"".join(hashlib.blake2b(one, digest_size=8).digest() for one in coded)
    return np.frombuffer(digests, "<u8")


def places(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(wanted,) where each stands among increasing keys; -1 where it does not."""
    first = np.searchsorted(keys, wanted)
    return np.where(first < np.searchsorted(keys, wanted, "right"), first, -1)


class Table(NamedTuple):
    """``keys``, (keys,) uint64, increase; ``counts``, (keys, rows) float32, has no zeros."""

    keys: np.ndarray
    counts: sparse.csr_array

    @classmethod
    def of(cls, there: pa.Array, rows: np.ndarray, size: int) -> "Table":
        """Of each time that one of ``size`` rows has a key, a number or a text: both of them."""
        encoded = there.dictionary_encode()
        known = encoded.dictionary
        keys = keys_of(known.to_pylist()) if pa.types.is_string(known.type) else known.to_numpy()
        order = np.argsort(keys)
        ranks = np.argsort(order)[encoded.indices.to_numpy()]
        where = ranks.astype(np.int32), rows.astype(np.int32)
        ones = np.ones(len(rows), np.float32)
        counts = sparse.csr_array((ones, where), shape=(len(keys), size))
        return cls(keys[order], counts)

    @classmethod
    def read(cls, column: pa.StructArray, size: int) -> "Table":
        """Of a column of a part, where it lies."""
        keys, starts, rows, counts = (
            column.field(one).values.to_numpy() for one in range(len(TABLE))
        )
        return cls(keys, sparse.csr_array((counts, rows, starts), shape=(len(keys), size)))

    def column(self, entities: int) -> pa.Array:
        """As a column of a part: longer than that, so that the first entity has all of it."""
        counts, after = self.counts, np.minimum(np.arange(entities + 1, dtype=np.int32), 1)
        lists = [
            pa.ListArray.from_arrays(pa.array(after * len(values), pa.int32()), pa.array(values))
            for values in (self.keys, counts.indptr, counts.indices, counts.data)
        ]
        return pa.StructArray.from_arrays(lists, fields=list(TABLE))

    def having(self, keys: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each key the rows that have it, and how often."""
        starts, rows, counts = self.counts.indptr, self.counts.indices, self.counts.data
        ends = [starts[np.searchsorted(self.keys, keys, side)] for side in ("left", "right")]
        return [(rows[a:b], counts[a:b]) for a, b in zip(*ends, strict=True)]
