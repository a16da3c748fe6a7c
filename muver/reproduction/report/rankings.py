"""Run files for the explorer, cut to what a page can hold."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.reproduction.report.collection import Collection
from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.results import System
from muver.retriever.runs.run import best_ranks, mentions_of_rows, read_run


@dataclass(frozen=True)
class Ranking:
    """The first candidates of each mention shown, and the gold entity wherever it stands."""

    rank: np.ndarray  # (mentions,) of the gold entity in the whole run, from 1; 0 = not retrieved
    counts: np.ndarray  # (mentions,) how many candidates are kept of each
    entity: np.ndarray  # (candidates,) number of each one kept, among all of the collection
    kept: pa.Table  # (candidates,) the rows of the run, mention after mention
    depth: int  # how many candidates a mention the run has at most


def read_ranking(
    system: System, collection: Collection, chosen: np.ndarray, keep: int, files: RunFiles
) -> Ranking:
    """A system's runs on all sets.

    Of the mentions ``chosen`` (n,) the first ``keep`` candidates and the gold entity are kept.
    """
    ranks = np.zeros(len(collection.gold), dtype=np.int64)
    parts = [
        _read(system, collection, name, ranks, files.run(system.name, name))
        for name in collection.sets
    ]
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
    entity = collection.candidates[0, mention] + run["entity"].to_numpy()
    match = system.settings["retrieve"].get("match", "title")
    hits = collection.is_gold(entity, mention, match)
    ranks[own] = best_ranks(run, mention, hits, len(ranks))[own]
    return run, mention, entity
