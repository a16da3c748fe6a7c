"""The ranks file: where each mention's gold entity stands in a run.

It is all that paired tests and curves need of a run, in a small part of its size.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from muver.errors import InputError
from muver.files import atomic_path

RANKS = pa.schema(
    [
        ("mention_id", pa.string()),
        ("world", pa.string()),
        ("rank", pa.int32()),  # of the gold entity, from 1; 0 = not retrieved
        ("sentences", pa.int32()),  # of the gold entity's description
    ]
)
CANDIDATES = b"candidates"  # in the schema's metadata: how many the retriever was asked for
Column = Sequence | np.ndarray


def ranks_table(
    mention_id: Column, world: Column, rank: Column, sentences: Column, k: int
) -> pa.Table:
    """A table of schema :data:`RANKS`.

    Parameters
    ----------
    mention_id, world, rank, sentences : (mentions,)
        In the corpus' order of the split's mentions.
    k
        Number of candidates the retriever was asked for: recall beyond it is unknown.
    """
    columns = (mention_id, world, rank, sentences)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, RANKS, strict=True)]
    schema = RANKS.with_metadata({CANDIDATES: str(k).encode()})
    return pa.Table.from_arrays(arrays, schema=schema)


def write_ranks(path: str | Path, table: pa.Table) -> None:
    """Write the ranks of a run, from :func:`ranks_table`."""
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def read_ranks(path: str | Path) -> pa.Table:
    """Read a ranks file and check that it is one.

    Raises
    ------
    InputError
        For a file that is missing, damaged or has other columns, and for ranks beyond the number
        of candidates.
    """
    try:
        table = pq.read_table(path, partitioning=None)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Run the evaluate stage that makes it.") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from None
    if not table.schema.equals(RANKS) or CANDIDATES not in (table.schema.metadata or {}):
        raise InputError(
            f"{path}: has the columns {', '.join(table.column_names)}, a ranks file has "
            f"{', '.join(RANKS.names)} and the number of candidates in its metadata. Run the "
            "evaluate stage again."
        )
    ranks = table["rank"].to_numpy()
    wrong = np.flatnonzero((ranks < 0) | (ranks > candidates(table)))
    if len(wrong):
        raise InputError(
            f"{path}, row {wrong[0]}: rank {ranks[wrong[0]]}, expected 0 to {candidates(table)}. "
            "Run the evaluate stage again."
        )
    return table


def candidates(table: pa.Table) -> int:
    """How many candidates a mention the run was asked for."""
    return int(table.schema.metadata[CANDIDATES])


def hits_at(table: pa.Table, cutoff: int) -> np.ndarray:
    """Whether the gold entity is among the first ``cutoff`` candidates: (mentions,) bool.

    Raises
    ------
    InputError
        If the cutoff is below 1 or beyond the number of candidates.
    """
    if not 1 <= cutoff <= candidates(table):
        raise InputError(
            f"recall@{cutoff} cannot be told from ranks among {candidates(table)} candidates: "
            f"choose a cutoff from 1 to {candidates(table)}, or raise retrieve.k."
        )
    ranks = table["rank"].to_numpy()
    return (ranks >= 1) & (ranks <= cutoff)


def check_same_mentions(first: pa.Table, second: pa.Table) -> None:
    """Refuse to pair two ranks tables that are not of the same mentions in the same order.

    Raises
    ------
    InputError
        Naming the first row that differs.
    """
    if first.num_rows == 0:
        raise InputError("ranks without any mention: there is nothing to compare.")
    if first.num_rows != second.num_rows:
        raise InputError(
            f"ranks of {first.num_rows} mentions cannot be paired with ranks of "
            f"{second.num_rows}: they belong to different data. Run the evaluate stage again."
        )
    for column in ("mention_id", "world", "sentences"):
        mine, other = first[column].to_pylist(), second[column].to_pylist()
        if mine != other:
            row = [one == two for one, two in zip(mine, other, strict=True)].index(False)
            raise InputError(
                f"ranks cannot be paired: in row {row} one has {column} {mine[row]!r}, the other "
                f"{other[row]!r}: they belong to different data. Run the evaluate stage again."
            )
