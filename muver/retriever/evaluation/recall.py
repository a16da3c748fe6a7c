"""Recall@k of a run: the share of mentions whose gold entity is among the first k candidates.

Entity linking calls this recall; TREC calls it Success@k, as a mention has one relevant entity.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.retriever.evaluation.bootstrap import recall_intervals
from muver.retriever.evaluation.ranks import clusters
from muver.retriever.evaluation.records import Counts, Percent, Scores, World
from muver.retriever.runs.run import best_ranks, mentions_of_rows


def gold_ranks(
    run: pa.Table,
    mentions: pa.Table,
    titles: Mapping[str, Sequence[str]],
    match: str,
    k: int,
    sizes: Mapping[str, int] | None = None,
    short: int = 0,
    left_out: np.ndarray | None = None,
) -> np.ndarray:
    """The rank of each mention's gold entity: (mentions,) int64, 0 if it was not retrieved.

    Parameters
    ----------
    run
        From :func:`muver.retriever.runs.run.read_run`, which has checked the mentions' ids.
    mentions
        Mentions with ``mention_id``, ``world``, ``gold`` (null: outside the knowledge base).
    titles
        Titles of each world's entities, by line number; empty if only ``sizes`` are known.
    match
        "title": an entity with the gold entity's title is a hit (as MuVER counts on ZESHEL);
        "id": only the gold entity itself is.
    k
        Number of candidates that the retriever was asked for; a mention must have as many, or all
        of its world.
    sizes
        Number of entities of each world, needed without ``titles``.
    short
        Number of mentions for which an approximate index found fewer than k candidates.
    left_out : (mentions,) bool
        Whether a mention's own page was left out of its candidates.
    """
    ids = mentions["mention_id"].to_pylist()
    worlds = np.array(mentions["world"].to_pylist(), dtype=object)
    mention_of = mentions_of_rows(run, ids)
    sizes = sizes or {world: len(names) for world, names in titles.items()}
    in_world = _candidates(sizes, titles, match)
    available = np.array([in_world[world] for world in worlds], dtype=np.int64)
    if left_out is not None:
        available = available - left_out
    _check_complete(ids, worlds, mention_of, np.minimum(k, available), short)
    entities = run["entity"].to_numpy()
    found_titles = np.array(run["title"].to_pylist(), dtype=object)
    _check_entities(run, worlds[mention_of], entities, found_titles, sizes, titles)
    gold = mentions["gold"].fill_null(-1).to_numpy()
    return best_ranks(run, mention_of, _hit(run, mention_of, worlds, gold, titles, match), len(ids))


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
    worlds = np.array(mentions["world"].to_pylist(), dtype=object)
    found = np.zeros(len(own_pages), dtype=bool)
    found[mention_of] = _hit(first, mention_of, worlds, own_pages, titles, match)
    return found & (own_pages >= 0)


def _hit(
    run: pa.Table,
    mention_of: np.ndarray,
    worlds: np.ndarray,
    wanted: np.ndarray,
    titles: Mapping[str, Sequence[str]],
    match: str,
) -> np.ndarray:
    """(rows,) bool: whether a row's candidate is the entity that its mention wants."""
    if match == "id":
        return run["entity"].to_numpy() == wanted[mention_of]
    names = [titles[world][entity] for world, entity in zip(worlds, wanted, strict=True)]
    return np.array(run["title"].to_pylist(), dtype=object) == np.array(names, object)[mention_of]


def scored(table: pa.Table, cutoffs: Sequence[int], resample: str) -> Scores:
    """Recall at each cutoff with intervals, from :func:`.ranks.ranks_table`.

    Intervals treat ``documents`` or ``mentions`` as independent, as ``resample`` says.
    """
    ranks, names = table["rank"].to_numpy(), table["world"].to_pylist()
    interval, by_world = recall_intervals(ranks, names, clusters(table, resample), cutoffs)
    owners = np.array(names, dtype=object)
    worlds = {}
    for name, own_interval in by_world.items():
        own = ranks[owners == name]
        hits = _hits(own, cutoffs)
        worlds[name] = World(
            mentions=len(own), hits=hits, recall=_percent(hits, len(own)), interval=own_interval
        )
    hits = _hits(ranks, cutoffs)
    return Scores(
        mentions=len(ranks),
        hits=hits,
        micro=_percent(hits, len(ranks)),
        macro={k: sum(one.recall[k] for one in worlds.values()) / len(worlds) for k in cutoffs},
        worlds=worlds,
        interval=interval,
    )


def _hits(ranks: np.ndarray, cutoffs: Sequence[int]) -> Counts:
    return {k: int(((ranks >= 1) & (ranks <= k)).sum()) for k in cutoffs}


def _percent(hits: Counts, mentions: int) -> Percent:
    return {k: 100 * count / mentions for k, count in hits.items()}


def _candidates(
    sizes: Mapping[str, int], titles: Mapping[str, Sequence[str]], match: str
) -> Mapping[str, int]:
    """The number of candidates in each world; if titles decide, equal titles are one candidate."""
    if match == "id":
        return sizes
    return {world: len(set(names)) for world, names in titles.items()}


def _check_complete(
    ids: Sequence[str],
    worlds: np.ndarray,
    mention_of: np.ndarray,
    expected: np.ndarray,
    short: int,
) -> None:
    found = np.bincount(mention_of, minlength=len(ids))
    wrong = np.flatnonzero(found != expected)
    if len(wrong) != short or (found > expected).any():
        row = wrong[0] if len(wrong) else 0
        raise InputError(
            f"{len(wrong)} of {len(ids)} mentions do not have the expected number of candidates, "
            f"for instance {ids[row]!r} of {worlds[row]}: {found[row]} in place of "
            f"{expected[row]}; the run's manifest says {short}. The run is incomplete, or made "
            "from other data or parameters. Make it again."
        )


def _check_entities(
    run: pa.Table,
    worlds: np.ndarray,
    entities: np.ndarray,
    found_titles: np.ndarray,
    sizes: Mapping[str, int],
    titles: Mapping[str, Sequence[str]],
) -> None:
    run_worlds = np.array(run["world"].to_pylist(), dtype=object)
    for world, size in sizes.items():
        own = worlds == world
        known = np.array(titles[world], dtype=object) if world in titles else None
        if (
            ((entities[own] < 0) | (entities[own] >= size)).any()
            or (run_worlds[own] != world).any()
            or (known is not None and (known[entities[own]] != found_titles[own]).any())
        ):
            raise InputError(
                f"the run's entities are not the {size} of world {world}: a results file from "
                "other data. Make the run again."
            )
