"""The ranks file: the rank of each mention's gold entity in a run.

Paired tests and curves need nothing else, and it is much smaller than the run.
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
        ("document", pa.string()),  # the mention's document; null if unknown
        ("rank", pa.int32()),  # rank of the gold entity, from 1; 0: not retrieved
        ("sentences", pa.int32()),  # number in the gold entity's description
    ]
)
CANDIDATES = b"candidates"  # key of the schema's metadata: the k of the retriever


def ranks_table(
    mention_id: Column,
    world: Column,
    document: Column,
    rank: Column,
    sentences: Column,
    k: int,
) -> pa.Table:
    """A table of schema :data:`RANKS`.

    The columns are (mentions,), in the order of the split's mentions in the corpus. ``k`` is the
    number of candidates that the retriever was asked for; recall beyond it is unknown.
    """
    schema = RANKS.with_metadata({CANDIDATES: str(k).encode()})
    return table_of(schema, (mention_id, world, document, rank, sentences))


def write_ranks(path: str | Path, table: pa.Table) -> None:
    """Write a table from :func:`ranks_table`."""
    write_table(path, table)


def read_ranks(path: str | Path) -> pa.Table:
    """Read a ranks file and check that it is one."""
    table = read_table(path, RANKS, "a ranks file", "evaluate")
    if CANDIDATES not in (table.schema.metadata or {}):
        raise InputError(
            f"{path}: its metadata lack the number of candidates. Run the evaluate stage again."
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
    """The number of candidates per mention that the retriever was asked for."""
    return int(table.schema.metadata[CANDIDATES])


def hits_at(table: pa.Table, cutoff: int) -> np.ndarray:
    """Whether the gold entity is among the first ``cutoff`` candidates: (mentions,) bool."""
    if not 1 <= cutoff <= candidates(table):
        raise InputError(
            f"recall@{cutoff} cannot be computed from ranks among {candidates(table)} candidates: "
            f"choose a cutoff from 1 to {candidates(table)}, or raise retrieve.k."
        )
    ranks = table["rank"].to_numpy()
    return (ranks >= 1) & (ranks <= cutoff)


def clusters(table: pa.Table, resample: str) -> np.ndarray:
    """Numbers of the clusters that are resampled as a whole: (mentions,) int64.

    With ``documents``, the mentions of a document form a cluster, and a mention whose document is
    unknown is a cluster of its own. With ``mentions``, every mention is.
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
    """Refuse two ranks tables that do not have the same mentions in the same order."""
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
