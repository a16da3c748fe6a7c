"""The ranks of mentions' gold entities in a file, and recall@k.

Recall@k is the share of mentions whose gold entity is among the first k candidates. Entity linking
calls this recall; TREC calls it Success@k, as a mention has one relevant entity. Paired tests and
curves need only the ranks, whose file is much smaller than the run.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.parquet import Column, read_table, table_of
from muver.retriever.evaluation.bootstrap import recall_intervals, strata
from muver.retriever.evaluation.records import Counts, Percent, Scores, World
from muver.retriever.vectors.shards import first_with_same

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
    mention_id: Column, world: Column, document: Column, rank: Column, sentences: Column, k: int
) -> pa.Table:
    """A table of schema :data:`RANKS`; the columns are (mentions,), in the order of the corpus.

    ``k`` is the number of candidates that the retriever was asked for; recall beyond it is unknown.
    """
    schema = RANKS.with_metadata({CANDIDATES: str(k).encode()})
    return table_of(schema, (mention_id, world, document, rank, sentences))


def read_ranks(path: str | Path) -> pa.Table:
    """Read a ranks file."""
    return read_table(path, RANKS, "a ranks file", "evaluate")


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
    """Numbers of the clusters that are resampled as a whole: (rows,) int64.

    With ``documents``, the mentions of a document form a cluster, and a mention whose document is
    unknown is a cluster of its own. With ``mentions``, every mention is. A mention that has several
    rows, one a seed, has all of them in its cluster.
    """
    places = zip(
        *(table[name].to_pylist() for name in ("world", "document", "mention_id")), strict=True
    )
    alone = resample == "mentions"
    return first_with_same([p if alone or p[1] is None else p[:2] for p in places])


def check_same_mentions(first: pa.Table, second: pa.Table) -> None:
    """Refuse two ranks tables that do not have the same mentions in the same order."""
    columns = [name for name in RANKS.names if name != "rank"]
    if not first.num_rows or not first.select(columns).equals(second.select(columns)):
        raise InputError(
            f"ranks of {first.num_rows} mentions cannot be paired with ranks of "
            f"{second.num_rows}: there are none, or they belong to different data. Run the "
            "evaluate stage again."
        )


def scored(table: pa.Table, cutoffs: Sequence[int], resample: str) -> Scores:
    """Recall at each cutoff with intervals, from :func:`ranks_table`.

    Intervals treat ``documents`` or ``mentions`` as independent, as ``resample`` says.
    """
    ranks, names = table["rank"].to_numpy(), table["world"].to_pylist()
    interval, by_world = recall_intervals(ranks, names, clusters(table, resample), cutoffs)
    worlds = {
        name: World(int(inside.sum()), *_counted(ranks[inside], cutoffs), by_world[name])
        for name, inside in strata(names)
    }
    hits, micro = _counted(ranks, cutoffs)
    return Scores(
        mentions=len(ranks),
        hits=hits,
        micro=micro,
        macro={k: sum(world.recall[k] for world in worlds.values()) / len(worlds) for k in cutoffs},
        worlds=worlds,
        interval=interval,
    )


def _counted(ranks: np.ndarray, cutoffs: Sequence[int]) -> tuple[Counts, Percent]:
    """Hits at each cutoff, and their share in percent."""
    hits = {k: int(((ranks >= 1) & (ranks <= k)).sum()) for k in cutoffs}
    return hits, {k: 100 * count / len(ranks) for k, count in hits.items()}
