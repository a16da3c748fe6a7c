"""Run files, ours and those of TREC."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.parquet import read_table
from muver.retriever.vectors.shards import first_with_same

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


def write_trec(
    out: Path,
    system: str,
    run: pa.Table,
    mentions: pa.Table,
    titles: Mapping[str, Sequence[str]],
    match: str,
) -> None:
    """Write a system's run and the gold entities to ``out`` with ``.run`` and ``.qrels``.

    ``run``, ``mentions``, ``titles`` and ``match`` are as for
    :func:`muver.retriever.runs.gold.gold_ranks`, which checks them; titles are not needed
    if ``match`` is "id".
    """
    first = {world: first_with_same(names).tolist() for world, names in titles.items()}
    encoded = cache(field)  # a mention and a world have many lines

    def document(world: str, entity: int) -> str:
        number = entity if match == "id" else first[world][entity]
        return f"{encoded(world)}/{number}"

    ranks, scores = run["rank"].to_numpy(), run["score"].to_numpy()
    if not np.isfinite(scores).all():
        raise InputError(
            f"run of {system}: has scores that are no finite numbers. Run the retrieve stage "
            "again, with another precision if the model's vectors overflow."
        )
    columns = (run[name].to_pylist() for name in ("mention_id", "world", "entity"))
    lowered = decreasing(scores, ranks).tolist()
    ranked = zip(*columns, ranks.tolist(), lowered, strict=True)
    run_lines = (
        f"{encoded(mention)} Q0 {document(world, entity)} {rank} {score!r} {encoded(system)}\n"
        for mention, world, entity, rank, score in ranked
    )
    columns = (mentions[name].to_pylist() for name in ("mention_id", "world", "gold"))
    gold_lines = (
        f"{encoded(mention)} 0 {document(world, entity)} 1\n"
        for mention, world, entity in zip(*columns, strict=True)
    )
    write_text(f"{out}.run", "".join(run_lines))
    write_text(f"{out}.qrels", "".join(gold_lines))


def field(name: str) -> str:
    """Percent-encode a name's white space and per cent signs.

    >>> field("star wars"), field("100% sure")
    ('star%20wars', '100%25%20sure')
    """
    return re.sub(r"[\s%]", lambda found: quote(found[0]), name)


def decreasing(scores: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Lower scores as little as possible so that they sort as the ranks do.

    trec_eval ignores ranks, sorts by score as float32 and breaks ties by document id. A score that
    is not below the one ranked before it is therefore lowered to the next smaller float32; other
    scores do not change. The rows of a mention, (rows,), are adjacent, ranked 1, 2, 3, ... Returns
    (rows,) float32, strictly decreasing within a mention; as Python floats they print and parse
    without loss.
    """
    lowered = np.array(scores, dtype=np.float32)
    for rank in range(2, ranks.max(initial=1) + 1):
        rows = np.flatnonzero(ranks == rank)
        below = np.nextafter(lowered[rows - 1], np.float32(-np.inf))
        lowered[rows] = np.minimum(lowered[rows], below)
    return lowered
