"""Run files for the explorer: checked against their evaluation, cut to what a page can hold."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.evaluation.ranks import read_ranks
from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.report.corpus import Corpus
from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.systems import System
from muver.runs.run import best_ranks, mentions_of_rows, ranked_mentions, read_run


@dataclass(frozen=True)
class Ranking:
    """The first candidates of each mention, and the gold entity wherever it stands.

    Attributes
    ----------
    rank : (mentions,)
        Of the gold entity among all candidates of the run, from 1; 0 = not retrieved.
    counts : (mentions,)
        How many candidates are kept of each.
    place, entity, score, layer, first, last : (candidates,)
        Rank, place among all entities of the corpus, score, and the view that won, of the
        candidates that are kept.
    depth
        How many candidates a mention the run has at most.
    """

    rank: np.ndarray
    counts: np.ndarray
    place: np.ndarray
    entity: np.ndarray
    score: np.ndarray
    layer: np.ndarray
    first: np.ndarray
    last: np.ndarray
    depth: int


def read_ranking(
    system: System,
    corpus: Corpus,
    chosen: np.ndarray,
    keep: int,
    places: Places,
    problems: Problems,
) -> Ranking | None:
    """Read and check a system's run.

    Parameters
    ----------
    chosen : (n,)
        Numbers of the mentions to keep.
    keep
        Candidates a mention; the gold entity is kept besides.

    Returns
    -------
    None for a run that cannot be shown, which is told as a problem.
    """
    path = places.run(system.name, str(system.split))
    try:
        return _read(system, corpus, chosen, keep, places, problems)
    except InputError as error:
        told = str(error).replace(str(path), places.shown(path))
        problems.tell(f"{system.method}: its predictions cannot be shown. {told}")
        return None


def _read(
    system: System,
    corpus: Corpus,
    chosen: np.ndarray,
    keep: int,
    places: Places,
    problems: Problems,
) -> Ranking:
    path = places.run(system.name, str(system.split))
    run = read_run(path)
    mention = _mentions(path, run, corpus)
    entity = _entities(path, run, corpus, mention)
    decides = system.settings["retrieve"].get("match", "title") == "title"
    same = corpus.same_title if decides else np.arange(len(corpus.same_title))
    hits = same[entity] == same[corpus.gold[mention]]
    rank = best_ranks(run, mention, hits, len(corpus.gold))
    check_run(system, path, rank, places, problems)
    return cut(run, chosen, keep, mention, entity, rank)


def _mentions(path: Path, run: pa.Table, corpus: Corpus) -> np.ndarray:
    """The number of each row's mention: (rows,)."""
    ids = corpus.mentions["mention_id"].to_pylist()
    if set(ranked_mentions(run)) != set(ids):
        raise InputError(
            f"{path}: ranks for other mentions than the corpus has: a run of other data."
        )
    return mentions_of_rows(run, ids)


def _entities(path: Path, run: pa.Table, corpus: Corpus, mention: np.ndarray) -> np.ndarray:
    """Each row's entity as a place among all; its title must be the run's: (rows,)."""
    world = corpus.world[mention]
    entity = corpus.offsets[world] + run["entity"].to_numpy()
    inside = (run["entity"].to_numpy() >= 0) & (entity < corpus.offsets[world + 1])
    titles = run["title"].combine_chunks()
    if not inside.all() or not corpus.titles.take(pa.array(entity)).equals(titles):
        raise InputError(f"{path}: its entities are not the corpus': a run of other data.")
    return entity


def check_run(
    system: System,
    path: Path,
    rank: np.ndarray,
    places: Places,
    problems: Problems,
    part: str = "",
) -> None:
    """Told: a run whose bytes or gold ranks are not those that were evaluated."""
    on = f" on {part}" if part else ""
    told = system.parts[part].get("run_sha256")
    if told is not None and told != sha256_of(path):
        problems.tell(
            f"{system.method}: the run file {places.shown(path)}{on} is not the one that was "
            "evaluated (its SHA-256 differs): it was changed by hand or made again. The "
            "predictions below are those of the changed file, the tables are not. Run evaluate "
            "again, or restore the file."
        )
        return
    ranks = read_ranks(places.ranks(system.name, part))["rank"].to_numpy()
    if len(ranks) != len(rank) or (ranks != rank).any():
        differ = int((ranks != rank).sum()) if len(ranks) == len(rank) else len(rank)
        problems.tell(
            f"{system.method}: the run file {places.shown(path)}{on} ranks the gold "
            f"entity of {differ} mentions elsewhere than its evaluation says: one of the two was "
            "changed. "
            "Run evaluate again."
        )
        return
    problems.held("run files")


def cut(
    run: pa.Table,
    chosen: np.ndarray,
    keep: int,
    mention: np.ndarray,
    entity: np.ndarray,
    rank: np.ndarray,
) -> Ranking:
    """The first candidates of the mentions that are chosen.

    Parameters
    ----------
    chosen : (n,)
        Numbers of mentions.
    keep
        Candidates a mention; the gold entity is kept besides.
    mention, entity : (rows,)
        Numbers of each row's mention and entity.
    rank : (mentions,)
        Of the gold entity of each mention, 0 where it was not retrieved.
    """
    places = run["rank"].to_numpy()
    wanted = np.zeros(len(rank), dtype=bool)
    wanted[chosen] = True
    kept = np.flatnonzero(wanted[mention] & ((places <= keep) | (places == rank[mention])))
    kept = kept[np.argsort(mention[kept], kind="stable")]
    counts = np.bincount(mention[kept], minlength=len(rank))[chosen]
    columns = {name: run[name].to_numpy()[kept] for name in ("score", "layer", "first", "last")}
    return Ranking(
        rank=rank[chosen],
        counts=counts,
        place=places[kept],
        entity=entity[kept],
        depth=int(places.max()) if len(places) else 0,
        **columns,
    )
