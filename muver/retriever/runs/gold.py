"""Where a run has each mention's gold entity."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from muver.retriever.runs.run import mentions_of_rows


def gold_ranks(
    run: pa.Table, mentions: pa.Table, titles: Mapping[str, Sequence[str]], match: str
) -> np.ndarray:
    """The rank of each mention's gold entity: (mentions,) int64, 0 if it was not retrieved.

    The ``gold`` of a mention is null outside the knowledge base. With the ``match`` "title" an
    entity with the gold entity's title is a hit (as MuVER counts on ZESHEL), and ``titles`` are
    those of each world's entities; with "id" only the gold entity itself is.
    """
    mention_of = mentions_of_rows(run, mentions["mention_id"].to_pylist())
    gold = mentions["gold"].fill_null(-1).to_numpy()
    hits = _hit(run, mention_of, mentions, gold, titles, match)
    return best_ranks(run, mention_of, hits, mentions.num_rows)


def own_page_first(
    run: pa.Table,
    mentions: pa.Table,
    own_pages: np.ndarray,
    titles: Mapping[str, Sequence[str]],
    match: str,
) -> np.ndarray:
    """Whether the page that a mention stands on is its first candidate: (mentions,) bool.

    ``own_pages``, (mentions,), are entities of the mentions' worlds, -1 where the page is none. The
    rest is as for :func:`gold_ranks`.
    """
    first = run.take(np.flatnonzero(run["rank"].to_numpy() == 1))
    mention_of = mentions_of_rows(first, mentions["mention_id"].to_pylist())
    found = np.zeros(len(own_pages), dtype=bool)
    found[mention_of] = _hit(first, mention_of, mentions, own_pages, titles, match)
    return found & (own_pages >= 0)


def _hit(
    run: pa.Table,
    mention_of: np.ndarray,
    mentions: pa.Table,
    wanted: np.ndarray,
    titles: Mapping[str, Sequence[str]],
    match: str,
) -> np.ndarray:
    """(rows,) bool: whether a row's candidate is the entity that its mention wants."""
    if match == "id":
        return run["entity"].to_numpy() == wanted[mention_of]
    worlds = mentions["world"].to_pylist()
    names = [titles[world][entity] for world, entity in zip(worlds, wanted, strict=True)]
    return np.array(run["title"].to_pylist(), dtype=object) == np.array(names, object)[mention_of]


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
