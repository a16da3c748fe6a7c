"""The run file: each mention's ranked candidates, all that scoring needs from a retriever."""

from collections.abc import Collection, Iterator, Sequence
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
        ("entity", pa.int32()),  # number within the mention's world
        ("title", pa.string()),
        ("score", pa.float32()),
        ("layer", pa.int32()),  # layer of the best view: 0 = original, > 0 = merged, -1 = no views
        ("first", pa.int32()),  # sentences first..last of the best view, or -1
        ("last", pa.int32()),
    ]
)


def write_run(path: str | Path, *columns: Column) -> None:
    """Write a run, one row per candidate; the columns of :data:`RUN` in order, all (rows,)."""
    write_table(path, table_of(RUN, columns))


def read_run(path: str | Path, known: Collection[str] | None = None) -> pa.Table:
    """Read a run (:data:`RUN`); the rows of a mention are adjacent, ranked 1, 2, 3, ...

    If ``known`` is given, no other mention ids may occur.
    """
    table = read_table(path, RUN, "a run", "retrieve")
    if known is not None and (unknown := set(ranked_mentions(table)) - set(known)):
        raise InputError(
            f"{path}: ranks candidates for mention {min(unknown)!r}, which these data do not "
            "have: a run of other data. Run the retrieve stage again."
        )
    return table


def block_starts(table: pa.Table) -> np.ndarray:
    """The row at which each mention's candidates start: (mentions,) int64."""
    return np.flatnonzero(table["rank"].to_numpy() == 1)


def ranked_mentions(run: pa.Table) -> list[str]:
    """Ids of a run's mentions, in its order."""
    return run["mention_id"].take(pa.array(block_starts(run), pa.int64())).to_pylist()


def by_mention(run: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The id of each mention with its candidates' rows, best first."""
    starts = block_starts(run)
    sizes = np.diff(starts, append=run.num_rows)
    for mention, start, size in zip(ranked_mentions(run), starts, sizes, strict=True):
        yield mention, run.slice(start, size)


def mentions_of_rows(run: pa.Table, ids: Sequence[str]) -> np.ndarray:
    """The index in ``ids`` of each row's mention: (rows,) int64."""
    place = {mention: n for n, mention in enumerate(ids)}
    places = np.array([place[mention] for mention in ranked_mentions(run)], dtype=np.int64)
    return np.repeat(places, np.diff(np.r_[block_starts(run), run.num_rows]))


def best_ranks(
    run: pa.Table, mention_of: np.ndarray, hits: np.ndarray, mentions: int
) -> np.ndarray:
    """The rank of each mention's first hit, 0 if it has none: (mentions,) int64.

    ``mention_of``, (rows,), is from :func:`mentions_of_rows`; ``hits`` are (rows,) bool.
    """
    ranks = np.zeros(mentions, dtype=np.int64)
    rows = np.flatnonzero(hits)[::-1]  # backwards, so that the best rank overwrites the others
    ranks[mention_of[rows]] = run["rank"].to_numpy()[rows]
    return ranks
