"""The cost of an index's answers, in tokens, from what the index holds.

A token is a third of a millisecond of a core: what all-MiniLM-L6-v2 takes to read a word piece.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# As many take about as long as a token:
NUMBERS_COMPARED = 1_000_000  # of vectors that a mention is multiplied with
NUMBERS_SUMMED = 40_000  # of a candidate's vectors, compared in double precision
BYTES = 100_000  # of a candidate's texts, and once more of those that answers show
VALUES = 150  # of a candidate's other columns
VALUES_NARROWED, BYTES_NARROWED = 450, 10_000  # of all other columns, and of all names
PIECES_BY_LETTERS = 2_000_000  # of a mention times letters of all names


class Rows(NamedTuple):
    """What the entities of a part cost.

    ``tokens``, (entities,) float32, is the cost of each as a candidate. ``numbers`` counts those of
    their vectors, ``letters`` the bytes of their names, ``values`` those of their other columns.
    """

    tokens: np.ndarray
    numbers: int
    letters: int
    values: int

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> "Rows":
        tokens, numbers, values = np.ones(len(batch), np.float32), 0, 0
        size = {name: _bytes(batch[name]) for name in ("title", "description", "aliases")}
        tokens += (sum(size.values()) + size["title"]) / BYTES
        for field in batch.schema:
            column = batch[field.name]
            if pa.types.is_map(field.type):
                keys, items = (
                    pa.ListArray.from_arrays(column.offsets, part)
                    for part in (column.keys, column.items)
                )
                tokens += 2 * (_bytes(keys) + _bytes(items)) / BYTES
                tokens += np.diff(column.offsets.to_numpy()) / VALUES
                values += len(items.values)
            elif pa.types.is_list(field.type) and pa.types.is_fixed_size_list(column.values.type):
                sizes = np.diff(column.offsets.to_numpy()) * column.values.type.list_size
                tokens += sizes / NUMBERS_SUMMED
                numbers += int(sizes.sum())
        return cls(tokens, numbers, int(size["title"].sum() + size["aliases"].sum()), values)


class Costs:
    """What a mention costs among all entities of an index; ``live`` says which are still there."""

    def __init__(self, rows: list[Rows], live: list[np.ndarray]):
        of_parts = [row.tokens[there] for row, there in zip(rows, live, strict=True)]
        greatest = np.sort(np.concatenate([np.zeros(0, np.float32), *of_parts]))[::-1]
        self._most = np.cumsum(np.concatenate([[0.0], greatest]))
        totals = np.array([(0, 0, 0), *(row[1:] for row in rows)]).sum(axis=0)
        self._numbers, self._letters, values = totals.tolist()
        self.narrowing = values / VALUES_NARROWED + self._letters / BYTES_NARROWED

    def comparing(self, pieces: int) -> float:
        """The cost of comparing a mention of so many word pieces with all names and vectors."""
        by_letters = pieces * self._letters / PIECES_BY_LETTERS
        return by_letters + self._numbers / NUMBERS_COMPARED

    def candidates(self, k: int) -> float:
        """The cost of the k most expensive candidates."""
        return float(self._most[min(k, len(self._most) - 1)])


def _bytes(texts: pa.Array) -> np.ndarray:
    """(rows,) int64 sizes of texts, or of lists of texts."""
    if pa.types.is_list(texts.type):
        ends = np.cumsum([0, *_bytes(texts.values)])
        return np.diff(ends[texts.offsets.to_numpy()])
    return pc.fill_null(pc.binary_length(texts), 0).to_numpy().astype(np.int64)
