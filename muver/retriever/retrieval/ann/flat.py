"""Exact search over shards: every mention against every view, read from disk once.

It ranks as :func:`muver.retriever.retrieval.exact.rank` does. Approximate indices are measured
against it, and rows without an index are searched by it.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from muver.io.ahead import ahead
from muver.io.progress import Progress
from muver.retriever.retrieval.aggregates import MAX, Aggregate
from muver.retriever.retrieval.blocks import Block, top_columns
from muver.retriever.retrieval.exact import Ranking
from muver.retriever.vectors.shards import Block as ShardBlock
from muver.retriever.vectors.shards import Shards


def search_exact(
    shards: Shards,
    mentions: np.ndarray,
    k: int,
    memory_mb: int = 1024,
    aggregate: Aggregate = MAX,
    threads: int = 1,
) -> Ranking:
    """Rank all entities for each mention.

    The next views are read while each thread ranks some of the mentions, so products, their maxima
    and the sorting of entities all use as many cores as there are threads.

    Parameters
    ----------
    mentions : (mentions, d) float32
    k
        Distinct entities to find.
    memory_mb
        Bound on the vectors and scores held at a time, beside the mentions and results.
    aggregate
        One that scores an entity by its own views alone (``alone``).

    Returns ------- Ranking with global numbers: ``entities``, and ``rows`` for the winning views.
    Ties go to the earlier entity, and among its views to the first.
    """
    found = Ranking.empty(len(mentions), k)
    progress = Progress("exact search", shards.views, "views")
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        for part in ahead(shards.blocks(memory_mb // 6)):  # two at a time
            # Bytes per mention: a product for each view; the best and some indices for each entity.
            columns = 4 * len(part.vectors) + 32 * len(part.starts)
            most = memory_mb * 2**20 // 2 // threads // columns
            rows = max(min(most, -(-len(mentions) // threads)), 1)
            spans = (slice(start, start + rows) for start in range(0, len(mentions), rows))
            work = partial(_take, found, mentions, aggregate, part)
            list(pool.map(work, spans))  # raises what a thread raised
            progress.advance(len(part.vectors))
    progress.finish()
    return found


def _take(
    found: Ranking, mentions: np.ndarray, aggregate: Aggregate, part: ShardBlock, span: slice
) -> None:
    """Enter a block's entities into the rankings of a span of mentions, in place."""
    block = Block.of(mentions[span] @ part.vectors.T, part.starts)
    scores = aggregate.scores(block, found.scores.shape[1])
    # Most entities are not among the k best so far; an equal score loses, as it came later.
    enter = scores > found.scores[span, -1:]
    if not enter.any():
        return
    rows, columns = np.nonzero(enter)
    k = found.entities.shape[1]
    counts = enter.sum(axis=1)
    most = int(counts.max())
    if most > k:  # more than can enter: keep the best
        columns = top_columns(scores, min(k, scores.shape[1]))
        rows = np.repeat(np.arange(len(scores)), columns.shape[1])
        counts = np.full(len(scores), columns.shape[1])
        columns, most = columns.ravel(), columns.shape[1]
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    fresh = Ranking.empty(len(scores), most)
    fresh.entities[rows, places] = part.first_entity + columns
    fresh.scores[rows, places] = scores[rows, columns]
    fresh.rows[rows, places] = part.first_view + _winners(block, rows, columns)
    together = Ranking(
        *(np.concatenate([old[span], new], axis=1) for old, new in zip(found, fresh, strict=True))
    )
    chosen = top_columns(together.scores, k)
    for old, both in zip(found, together, strict=True):
        old[span] = np.take_along_axis(both, chosen, axis=1)


def _winners(block: Block, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(pairs,) row in the block of the first best view of each pair of mention and entity."""
    starts, counts, products = block.starts[columns], block.counts[columns], block.products
    winners, best = starts.copy(), products[rows, starts]
    for place in range(1, int(counts.max())):
        more = np.flatnonzero(counts > place)
        values = products[rows[more], starts[more] + place]
        better = values > best[more]
        winners[more[better]] = starts[more[better]] + place
        best[more[better]] = values[better]
    return winners
