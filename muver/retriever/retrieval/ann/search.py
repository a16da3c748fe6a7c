"""Find the k best distinct entities of each mention by an approximate index."""

import numpy as np

from muver.io.progress import Progress, logger
from muver.io.text import counted
from muver.retriever.retrieval.aggregates import MAX, Aggregate
from muver.retriever.retrieval.ann.index import AnnIndex
from muver.retriever.retrieval.blocks import Block, top_columns, winning_views
from muver.retriever.retrieval.exact import Ranking
from muver.retriever.vectors.shards import Shards


def search(
    index: AnnIndex,
    mentions: np.ndarray,
    k: int,
    rescore: bool = True,
    most_views: int = 16384,
    memory_mb: int = 1024,
    aggregate: Aggregate = MAX,
) -> Ranking:
    """Find k distinct entities for each mention, numbered as those of the shards.

    The first round fetches as many views as k entities have on average. A mention whose views
    belong to fewer than k entities is searched again for twice as many, until there are k, the
    index has no more in the lists it searches, or ``most_views`` is reached.

    Parameters
    ----------
    mentions : (mentions, d) float32
    rescore
        Score found views by their vectors in the shards. The index's own scores are products with
        vectors that may be quantised.
    most_views
        Bound on the views fetched for a mention.
    memory_mb
        Bound on the found views and the vectors gathered at a time.
    aggregate
        One that scores an entity by its own views alone (``alone``). Unless it is the maximum, it
        gets all views of each entity of which any was found (:func:`by_all_views`).
    """
    shards = index.shards
    ranking = Ranking.empty(len(mentions), k)
    most = max(min(most_views, index.most), 1)
    fetch = min(-(-k * shards.views // shards.entities), most)
    wanted = min(k, shards.entities)
    pending = np.arange(len(mentions))
    progress = Progress("searching", len(mentions), "mentions")
    while len(pending):
        # A found view takes some numbers, and its vector if that is read.
        rows = max(memory_mb * 2**20 // (fetch * (96 + 4 * shards.dimension * rescore)), 1)
        again = []
        for start in range(0, len(pending), rows):
            at = pending[start : start + rows]
            scores, views = index.search(mentions[at], fetch)
            entities = _entities(shards, views)
            done = (distinct(entities) >= wanted) | (views[:, -1] < 0) | (fetch >= most)
            again.append(at[~done])
            at, scores, views, entities = (part[done] for part in (at, scores, views, entities))
            if aggregate != MAX:
                best = by_all_views(shards, mentions[at], entities, aggregate, k)
            else:
                if rescore:
                    scores = _exact_scores(shards, mentions[at], views)
                best = best_by_entity(entities, scores, views, k)
            for whole, part in zip(ranking, best, strict=True):
                whole[at] = part
            progress.advance(len(at))
        pending = np.concatenate(again)
        fetch = min(2 * fetch, most)
    progress.finish()
    if missing := short(ranking, shards.entities):
        logger.warning(
            "of %s %d with fewer than %d entities: raise %s or most_views",
            counted(len(mentions), "mention"), missing, wanted, index.knob or "k",
        )  # fmt: skip
    return ranking


def short(ranking: Ranking, entities: int) -> int:
    """How many mentions got fewer than k entities although there are more."""
    found = (ranking.entities >= 0).sum(axis=1)
    return int((found < min(ranking.entities.shape[1], entities)).sum())


def distinct(entities: np.ndarray) -> np.ndarray:
    """How many different entities each row has: (rows, n) to (rows,) int64. -1 does not count.

    >>> distinct(np.array([[4, 2, 4, -1], [-1, -1, -1, -1]])).tolist()
    [2, 0]
    """
    ordered = np.sort(entities, axis=1)
    fresh = np.diff(ordered, axis=1, prepend=-1) != 0
    return fresh.sum(axis=1)


def best_by_entity(entities: np.ndarray, scores: np.ndarray, views: np.ndarray, k: int) -> Ranking:
    """Rank the entities of each row by their best view: (rows, k).

    Ties go to the earlier entity, and among its views to the first. ``entities``, ``scores`` and
    ``views``, (rows, n), are of each found view; the entity is -1 if there is none.
    """
    ranking = Ranking.empty(len(entities), k)
    found = np.nonzero(entities >= 0)
    row, entity, score, view = found[0], entities[found], scores[found], views[found]
    # Find the best view of each entity, then rank the entities by it.
    order = np.lexsort((view, -score, entity, row))
    fresh = (np.diff(entity[order], prepend=-1) != 0) | (np.diff(row[order], prepend=-1) != 0)
    best = order[fresh]
    best = best[np.lexsort((entity[best], -score[best], row[best]))]
    places = np.arange(len(best)) - np.searchsorted(row[best], row[best])
    best, places = best[places < k], places[places < k]
    for whole, values in zip(ranking, (entity, score, view), strict=True):
        whole[row[best], places] = values[best]
    return ranking


def by_all_views(
    shards: Shards, mentions: np.ndarray, entities: np.ndarray, aggregate: Aggregate, k: int
) -> Ranking:
    """Rank the entities of each row by all their views, found or not: (rows, k).

    Ties go to the earlier entity. ``mentions`` are (rows, d) float32, ``entities``, (rows, n),
    those of the found views; -1 if there is none.
    """
    ranking = Ranking.empty(len(mentions), k)
    for row, mention in enumerate(mentions):
        candidates = np.unique(entities[row][entities[row] >= 0])
        if not len(candidates):
            continue
        firsts, counts = shards.spans(candidates)
        starts = np.cumsum(counts) - counts
        views = np.arange(counts.sum()) + np.repeat(firsts - starts, counts)
        block = Block.of((shards.gather(views) @ mention)[None], starts)
        scores = aggregate.scores(block, k)
        chosen = top_columns(scores, min(k, len(candidates)))
        kept = chosen.shape[1]
        ranking.entities[row, :kept] = candidates[chosen[0]]
        ranking.scores[row, :kept] = scores[0, chosen[0]]
        ranking.rows[row, :kept] = views[winning_views(block, chosen)[0]]
    return ranking


def _entities(shards: Shards, views: np.ndarray) -> np.ndarray:
    """(rows, n) entity of each view; -1 stays -1."""
    entities = np.full(views.shape, -1)
    found = views >= 0
    entities[found] = shards.locate(views[found])[0]
    return entities


def _exact_scores(shards: Shards, mentions: np.ndarray, views: np.ndarray) -> np.ndarray:
    """(rows, n) products with the vectors in the shards; -inf where there is no view."""
    numbers = np.unique(views[views >= 0])
    vectors = shards.gather(numbers)
    scores = np.full(views.shape, -np.inf, dtype=np.float32)
    for row, mention in enumerate(mentions):  # each has its own views: no product of all with all
        found = views[row] >= 0
        scores[row, found] = vectors[np.searchsorted(numbers, views[row, found])] @ mention
    return scores
