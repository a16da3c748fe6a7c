"""Fusion: one run made of other systems' runs, by their ranks.

By Cormack, Clarke and Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank
learning methods, SIGIR 2009.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muver.io.typed import Positive
from muver.retriever.retrieval.retrieval_settings import Run

if TYPE_CHECKING:
    import numpy as np


class Settings(Run, kw_only=True):
    """What every run has, and the constant that is added to ranks."""

    constant: Positive = 60


def retrieve(
    settings: Settings,
    run: Path,
    *,
    entities: Path,
    mentions: Path,
    runs: Sequence[Path],
) -> dict[str, Any]:
    """Make one run of several.

    A candidate's view is that of the first run that ranks it. Every ranked candidate counts by its
    rank, even one that BM25 gives a score of 0.
    """
    import numpy as np
    import pyarrow as pa

    from muver.io.parquet import with_columns, write_table
    from muver.io.progress import logger
    from muver.io.text import counted
    from muver.retriever.corpus.schema import read_mentions, titles_by_world
    from muver.retriever.retrieval.rows import candidates
    from muver.retriever.runs.run import mentions_of_rows, read_run

    ids = read_mentions(mentions, settings.split)["mention_id"].to_pylist()
    tables = [read_run(path, ids) for path in runs]
    ranked = pa.concat_tables(tables)
    worlds, entity = np.array(ranked["world"].to_pylist(), object), ranked["entity"].to_numpy()
    candidate = np.empty(len(entity), np.int64)
    for world, titles in titles_by_world(entities, sorted({*worlds})).items():
        inside = worlds == world
        candidate[inside] = candidates(titles, settings.match)[entity[inside]]
    mention = np.concatenate([mentions_of_rows(table, ids) for table in tables])
    in_first = np.arange(len(ranked)) < len(tables[0])
    best, ranks, scores = fused(
        mention, candidate, ranked["rank"].to_numpy(), in_first, settings.constant
    )
    kept = ranks <= settings.k
    new = {"rank": pa.array(ranks[kept], pa.int32()), "score": pa.array(scores[kept], pa.float32())}
    write_table(run, with_columns(ranked.take(best[kept]), new).combine_chunks())
    sizes = counted(len(ids), "mention"), counted(len(scores), "candidate")
    logger.info("%s, %s fused", *sizes)
    return {"counts": None}


def fused(
    mention: "np.ndarray", candidate: "np.ndarray", ranks: "np.ndarray", in_first: "np.ndarray",
    constant: float,
) -> tuple["np.ndarray", "np.ndarray", "np.ndarray"]:  # fmt: skip
    """Rank each mention's candidates by their sums of 1 / (``constant`` + rank) over runs.

    The (rows,) of all runs, run after run, have numbers of mentions and of candidates, ranks from
    1, and whether the first run has them. Returns of the (candidates,), mention after mention and
    best first, the row of the first run that ranks each, its fused rank, and its score. Ties go to
    the better rank in the first run, then to the lower number.
    """
    import numpy as np

    width = candidate.max(initial=0) + 1
    _, first, places = np.unique(
        mention * width + candidate, return_index=True, return_inverse=True
    )
    shares = 1 / (constant + ranks)
    upwards = np.argsort(shares)  # a sum is the same for any order of the runs
    scores = np.bincount(places[upwards], shares[upwards])
    in_first_run = np.where(in_first[first], ranks[first], np.inf)
    order = np.lexsort((candidate[first], in_first_run, -scores, mention[first]))
    best = first[order]
    starts = np.searchsorted(mention[best], mention[best])
    return best, np.arange(len(best)) - starts + 1, scores[order]
