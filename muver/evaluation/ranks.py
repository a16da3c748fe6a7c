"""The ranks file: where each mention's gold entity stands in a run.

It is all that paired tests and curves need of a run, in a small part of its size.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.parquet import Column, read_table, table_of, write_table

RANKS = pa.schema(
    [
        ("mention_id", pa.string()),
        ("world", pa.string()),
        ("document", pa.string()),  # that the mention stands in; null where it is not known
        ("rank", pa.int32()),  # of the gold entity, from 1; 0 = not retrieved
        ("sentences", pa.int32()),  # of the gold entity's description
    ]
)
CANDIDATES = b"candidates"  # in the schema's metadata: how many the retriever was asked for


def ranks_table(
    mention_id: Column,
    world: Column,
    document: Column,
    rank: Column,
    sentences: Column,
    k: int,
) -> pa.Table:
    """A table of schema :data:`RANKS`.

    Parameters
    ----------
    mention_id, world, document, rank, sentences : (mentions,)
        In the corpus' order of the split's mentions.
    k
        Number of candidates the retriever was asked for: recall beyond it is unknown.
    """
    schema = RANKS.with_metadata({CANDIDATES: str(k).encode()})
    return table_of(schema, (mention_id, world, document, rank, sentences))


def write_ranks(path: str | Path, table: pa.Table) -> None:
    """Write the ranks of a run, from :func:`ranks_table`."""
    write_table(path, table)


def read_ranks(path: str | Path) -> pa.Table:
    """Read a ranks file and check that it is one.

    Raises
    ------
    InputError
        For a file that is missing, damaged or has other columns, and for ranks beyond the number
        of candidates.
    """
    table = read_table(path, RANKS, "a ranks file", "evaluate")
    if CANDIDATES not in (table.schema.metadata or {}):
        raise InputError(
            f"{path}: its metadata lack the number of candidates, which a ranks file has. Run the "
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


def clusters(table: pa.Table, resample: str) -> np.ndarray:
    """Which mentions are resampled together: (mentions,) int64, the same number for each of them.

    Parameters
    ----------
    resample
        ``documents``: the mentions of one document in a world; a mention whose document is not
        known is resampled alone. ``mentions``: every mention is resampled alone.
    """
    alone = np.arange(table.num_rows)
    if resample == "mentions":
        return alone
    known: dict[tuple[str, str], int] = {}
    places = zip(table["world"].to_pylist(), table["document"].to_pylist(), strict=True)
    return np.array(
        [
            row if place[1] is None else known.setdefault(place, row)
            for row, place in enumerate(places)
        ],
        dtype=np.int64,
    ).reshape(alone.shape)


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
    for column in ("mention_id", "world", "document", "sentences"):
        mine, other = first[column].to_pylist(), second[column].to_pylist()
        if mine != other:
            row = [one == two for one, two in zip(mine, other, strict=True)].index(False)
            raise InputError(
                f"ranks cannot be paired: in row {row} one has {column} {mine[row]!r}, the other "
                f"{other[row]!r}: they belong to different data. Run the evaluate stage again."
            )
