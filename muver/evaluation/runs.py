"""The run file: for each mention its ranked candidates. All that scoring needs of a retriever."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.parquet import Column, read_table, table_of, write_table

RUN = pa.schema(
    [
        ("mention_id", pa.string()),
        ("world", pa.string()),
        ("rank", pa.int32()),  # from 1
        ("entity", pa.int32()),  # of the mention's world
        ("title", pa.string()),
        ("score", pa.float32()),
        ("layer", pa.int32()),  # of the winning view: 0 = original, > 0 = merged, -1 = no views
        ("first", pa.int32()),  # sentences first..last of the winning view, or -1
        ("last", pa.int32()),
    ]
)


def write_run(
    path: str | Path,
    mention_id: Column,
    world: Column,
    rank: Column,
    entity: Column,
    title: Column,
    score: Column,
    layer: Column,
    first: Column,
    last: Column,
) -> None:
    """Write a run, one row a candidate; the columns are those of :data:`RUN`, all (rows,)."""
    values = (mention_id, world, rank, entity, title, score, layer, first, last)
    write_table(path, table_of(RUN, values))


def read_run(path: str | Path, known: Collection[str] | None = None) -> pa.Table:
    """Read a run and check that it is one.

    Parameters
    ----------
    known
        The mention ids that may occur; None allows any.

    Returns
    -------
    A table of schema :data:`RUN`; the rows of a mention stand together, ranked 1, 2, 3, ...

    Raises
    ------
    InputError
        For a file that is missing, damaged or has other columns, for ranks with gaps, for a
        mention that is unknown or stands in two places.
    """
    table = read_table(path, RUN, "a run", "retrieve")
    _check_ranks(path, table)
    starts = block_starts(table)
    mentions = table["mention_id"].take(pa.array(starts)).to_pylist()
    if len(set(mentions)) < len(mentions):
        twice = next(m for n, m in enumerate(mentions) if m in mentions[:n])
        raise InputError(f"{path}: mention {twice!r} stands in two places.")
    if known is not None and (unknown := set(mentions) - set(known)):
        raise InputError(
            f"{path}: ranks candidates for mention {min(unknown)!r}, which these data do not "
            "have: a run of other data. Run the retrieve stage again."
        )
    return table


def block_starts(table: pa.Table) -> np.ndarray:
    """Rows at which the candidates of a mention start: (mentions,) int64."""
    return np.flatnonzero(table["rank"].to_numpy() == 1)


def _check_ranks(path: str | Path, table: pa.Table) -> None:
    ranks = table["rank"].to_numpy()
    ids = table["mention_id"].combine_chunks().dictionary_encode().indices.to_numpy()
    same = np.r_[False, ids[1:] == ids[:-1]][: len(ids)]
    before = np.r_[0, ranks[:-1]][: len(ranks)]
    wrong = np.flatnonzero(ranks != np.where(same, before + 1, 1))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{path}, row {row}: rank {ranks[row]} of mention {table['mention_id'][row]}, "
            f"expected {before[row] + 1 if same[row] else 1}: candidates are missing or out of "
            "order. Run the retrieve stage again."
        )
