"""Run files for the explorer: checked against their evaluation, cut to what a page can hold."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.reproduction.report.collection import Collection
from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.problems import Problems
from muver.reproduction.report.systems import System
from muver.retriever.evaluation.ranks import read_ranks
from muver.retriever.runs.run import best_ranks, mentions_of_rows, ranked_mentions, read_run


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
    """Read and check a system's runs on all sets.

    Parameters
    ----------
    chosen : (n,)
        Numbers of the mentions to show.
    keep
        Candidates a mention; the gold entity is kept as well.

    Returns
    -------
    None if a run cannot be shown, which is a problem.
    """
    ranks = np.zeros(len(collection.gold), dtype=np.int64)
    parts = []
    for set_name in collection.sets:
        path = files.run(system.name, set_name)
        try:
            parts.append(_read(system, collection, set_name, ranks, files, problems))
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
    system: System,
    collection: Collection,
    set_name: str,
    ranks: np.ndarray,
    files: RunFiles,
    problems: Problems,
) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """A set's run with each row's mention and entity; fills in the ``ranks`` of its gold."""
    path, own = files.run(system.name, set_name), collection.sets[set_name]
    run = read_run(path)
    if set_name in collection.outside:
        run = run.filter(pc.invert(pc.is_in(run["mention_id"], collection.outside[set_name])))
    ids = collection.mentions["mention_id"].take(own).to_pylist()
    if set(ranked_mentions(run)) != set(ids):
        raise InputError(f"{path}: ranks for other mentions than {set_name} has: of other data.")
    mention = own[mentions_of_rows(run, ids)]
    entity = collection.entities_of(run, mention)
    if entity is None:
        raise InputError(f"{path}: its candidates are other entities: a run of other data.")
    match = system.settings["retrieve"].get("match", "title")
    hits = collection.is_gold(entity, mention, match)
    ranks[own] = best_ranks(run, mention, hits, len(ranks))[own]
    _check(system, set_name, ranks[own], files, problems)
    return run, mention, entity


def _check(
    system: System, set_name: str, ranks: np.ndarray, files: RunFiles, problems: Problems
) -> None:
    """A run must have the bytes, or at least the gold ranks, that were evaluated."""
    path = files.run(system.name, set_name)
    name = f"{system.method}: the run file {files.shown(path)} on {set_name}"
    if system.evaluations[set_name].run_sha256 != sha256_of(path):
        problems.add(
            f"{name} is not the one that was evaluated (its SHA-256 differs): it was changed by "
            "hand or made again. The predictions below are those of the changed file, the tables "
            "are not. Run evaluate again, or restore the file."
        )
        return
    evaluated = read_ranks(files.ranks(system.name, set_name))["rank"].to_numpy()
    if not np.array_equal(evaluated, ranks):
        problems.add(
            f"{name} ranks gold entities elsewhere than its evaluation says: one of the two was "
            "changed. Run evaluate again."
        )
        return
    problems.passes("run file", "run files")
