"""Put the candidates of several runs side by side, for fusion."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities
from muver.retriever.retrieval.rows import candidates
from muver.retriever.runs.run import block_starts, mentions_of_rows, ranked_mentions, read_run

KEPT = ("entity", "layer", "first", "last")


@dataclass(frozen=True)
class Collection:
    """The mentions of a split and the entities that they may mean, world after world.

    Attributes
    ----------
    mention_ids, worlds : (mentions,)
    offsets : (mentions,) int64
        Where the entities of each mention's world begin.
    titles : (entities,)
    candidate_of : (entities,) int64
        The candidate of each entity: its own position, or that of the first entity with its title.
    available : (mentions,) int64
        Number of candidates in each mention's world.
    """

    mention_ids: list[str]
    worlds: pa.Array
    offsets: np.ndarray
    titles: pa.Array
    candidate_of: np.ndarray
    available: np.ndarray


@dataclass(frozen=True)
class Pool:
    """Every candidate that some run ranks for a mention, ordered by mention, then candidate.

    Attributes
    ----------
    mention, candidate : (rows,) int64
        Positions in a :class:`Collection`.
    ranks : (runs, rows) float64
        Rank of the candidate in each run, from 1; infinite if the run does not rank it.
    scores : (runs, rows) float64
        Its score in each run, scaled to 0 for the mention's worst candidate and 1 for the best
        one; 1 if all are equal, 0 if the run does not rank it.
    entity, layer, first, last : (rows,) int32
        From the first run that ranks it.
    """

    mention: np.ndarray
    candidate: np.ndarray
    ranks: np.ndarray
    scores: np.ndarray
    entity: np.ndarray
    layer: np.ndarray
    first: np.ndarray
    last: np.ndarray


def read_collection(entities: Path, mentions: pa.Table, match: str) -> Collection:
    """Read the entities that the mentions are ranked against.

    Parameters
    ----------
    mentions
        Mentions with ``mention_id`` and ``world``.
    match
        "title": entities with the same title are one candidate; "id": each is its own.
    """
    worlds = mentions["world"].combine_chunks()
    titles: list[str] = []
    parts: list[np.ndarray] = []
    offset_of, available_of = {}, {}
    for world in dict.fromkeys(worlds.to_pylist()):
        # One world at a time: the table also holds the descriptions.
        own = read_entities(entities, [world])["title"].to_pylist()
        candidate_of = candidates(own, match)
        offset_of[world] = len(titles)
        available_of[world] = len(np.unique(candidate_of))
        parts.append(candidate_of + len(titles))
        titles.extend(own)
    return Collection(
        mentions["mention_id"].to_pylist(),
        worlds,
        np.array([offset_of[world] for world in worlds.to_pylist()]),
        pa.array(titles, pa.string()),
        np.concatenate(parts),
        np.array([available_of[world] for world in worlds.to_pylist()]),
    )


def pool_runs(runs: Sequence[Path], collection: Collection) -> Pool:
    """Read runs and put their candidates side by side."""
    tables = [read_run(path, collection.mention_ids) for path in runs]
    mentions = [
        _mentions_of(path, table, collection) for path, table in zip(runs, tables, strict=True)
    ]
    keys = [
        mention * len(collection.titles) + _candidates_of(path, table, mention, collection)
        for path, table, mention in zip(runs, tables, mentions, strict=True)
    ]
    pooled, places = np.unique(np.concatenate(keys), return_inverse=True)
    ranks = np.full((len(runs), len(pooled)), np.inf)
    scores = np.zeros((len(runs), len(pooled)))
    kept = {name: np.empty(len(pooled), dtype=np.int32) for name in KEPT}
    ends = np.cumsum([len(part) for part in keys])
    for n in reversed(range(len(runs))):  # the first run writes last
        own = places[ends[n] - len(keys[n]) : ends[n]]
        ranks[n, own] = tables[n]["rank"].to_numpy()
        scores[n, own] = normalise(tables[n]["score"].to_numpy(), block_starts(tables[n]))
        for name, values in kept.items():
            values[own] = tables[n][name].to_numpy()
        if np.isfinite(ranks[n]).sum() < len(own):
            raise InputError(
                f"{runs[n]}: ranks a candidate twice for one mention: made with match 'id', but "
                "titles decide here. Give the part and the fusion the same match."
            )
    mention, candidate = np.divmod(pooled, len(collection.titles))
    return Pool(mention, candidate, ranks, scores, **kept)


def normalise(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Scale scores to 0..1 within each block that begins at ``starts``; 1 if all are equal.

    ``scores`` and the result (float64) are (rows,), ``starts`` is (blocks,).

    >>> normalise(np.array([4.0, 3.0, 2.0, 7.0]), np.array([0, 3])).tolist()
    [1.0, 0.5, 0.0, 1.0]
    """
    if not len(scores):
        return np.zeros(0)
    values = scores.astype(np.float64)
    sizes = np.diff(np.r_[starts, len(values)])
    low = np.repeat(np.minimum.reduceat(values, starts), sizes)
    width = np.repeat(np.maximum.reduceat(values, starts), sizes) - low
    return np.where(width > 0, (values - low) / np.where(width > 0, width, 1), 1.0)


def _mentions_of(path: Path, run: pa.Table, collection: Collection) -> np.ndarray:
    """The mention of each row of a run: (rows,) int64."""
    if missing := set(collection.mention_ids) - set(ranked_mentions(run)):
        raise InputError(
            f"{path}: ranks nothing for mention {min(missing)!r} and {len(missing) - 1} more of "
            "the split: a run of another split, or cut short. Run the stage that makes it again."
        )
    return mentions_of_rows(run, collection.mention_ids)


def _candidates_of(
    path: Path, run: pa.Table, mention: np.ndarray, collection: Collection
) -> np.ndarray:
    """The candidate of each row of a run: (rows,) int64."""
    entities = collection.offsets[mention] + run["entity"].to_numpy()
    inside = (run["entity"].to_numpy() >= 0) & (entities < len(collection.titles))
    fits = inside.all() and (
        pc.all(pc.equal(run["world"], collection.worlds.take(pa.array(mention)))).as_py()
        and pc.all(pc.equal(run["title"], collection.titles.take(pa.array(entities)))).as_py()
    )
    if not fits:
        raise InputError(
            f"{path}: its worlds or entities are not those of the corpus: a run of other data. "
            "Run the stage that makes it again."
        )
    return collection.candidate_of[entities]
