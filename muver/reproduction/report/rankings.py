"""Run files for the explorer, cut to what a page can hold."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.reproduction.report.collection import Collection
from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.problems import Problems
from muver.reproduction.report.systems import System
from muver.retriever.runs.run import best_ranks, mentions_of_rows, read_run


@dataclass(frozen=True)
class Ranking:
    """The first candidates of each mention shown, and the gold entity wherever it stands.

    Attributes
    ----------
    rank : (mentions,)
        Of the gold entity among all candidates of the run, from 1; 0 = not retrieved.
    counts : (mentions,)
        How many candidates are kept of each.
    entity : (candidates,)
        Number of each candidate that is kept, among all entities of the collection.
    kept : (candidates,)
        The rows of the run that are kept, mention after mention.
    depth
        How many candidates a mention the run has at most.
    """

    rank: np.ndarray
    counts: np.ndarray
    entity: np.ndarray
    kept: pa.Table
    depth: int


def read_ranking(
    system: System,
    collection: Collection,
    chosen: np.ndarray,
    keep: int,
    files: RunFiles,
    problems: Problems,
) -> Ranking | None:
    """A system's runs on all sets; None if one cannot be read, which is a problem.

    Parameters
    ----------
    chosen : (n,)
        Numbers of the mentions to show.
    keep
        Candidates a mention; the gold entity is kept as well.
    """
    ranks = np.zeros(len(collection.gold), dtype=np.int64)
    parts = []
    for set_name in collection.sets:
        path = files.run(system.name, set_name)
        try:
            parts.append(_read(system, collection, set_name, ranks, path))
        except InputError as error:
            message = str(error).replace(str(path), f"{files.shown(path)} on {set_name}")
            problems.add(f"{system.method}: its predictions cannot be shown. {message}")
            return None
    runs, mentions, entities = zip(*parts, strict=True)
    run, mention = pa.concat_tables(runs), np.concatenate(mentions)
    place = run["rank"].to_numpy()
    wanted = np.zeros(len(ranks), dtype=bool)
    wanted[chosen] = True
    rows = np.flatnonzero(wanted[mention] & ((place <= keep) | (place == ranks[mention])))
    rows = rows[np.argsort(mention[rows], kind="stable")]
    return Ranking(
        rank=ranks[chosen],
        counts=np.bincount(mention[rows], minlength=len(ranks))[chosen],
        entity=np.concatenate(entities)[rows],
        kept=run.take(rows),
        depth=int(place.max(initial=0)),
    )


def _read(
    system: System, collection: Collection, set_name: str, ranks: np.ndarray, path: Path
) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """A set's run with each row's mention and entity; fills in the ``ranks`` of its gold."""
    own, run = collection.sets[set_name], read_run(path)
    if set_name in collection.outside:
        run = run.filter(pc.invert(pc.is_in(run["mention_id"], collection.outside[set_name])))
    ids = collection.mentions["mention_id"].take(own).to_pylist()
    mention = own[mentions_of_rows(run, ids)]
    entity = collection.entities_of(run, mention)
    match = system.settings["retrieve"].get("match", "title")
    hits = collection.is_gold(entity, mention, match)
    ranks[own] = best_ranks(run, mention, hits, len(ranks))[own]
    return run, mention, entity
