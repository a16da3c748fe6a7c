"""Run files for the explorer, cut to what a page can hold."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.reproduction.report.collection import Collection
from muver.reproduction.report.results import RunFiles, System
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
    runs, mentions = [], []
    for name, numbers in collection.sets.items():
        run = read_run(files.run(system.name, name))
        if name in collection.outside:
            run = run.filter(pc.invert(pc.is_in(run["mention_id"], collection.outside[name])))
        ids = collection.mentions["mention_id"].take(numbers).to_pylist()
        runs.append(run)
        mentions.append(numbers[mentions_of_rows(run, ids)])
    run, mention = pa.concat_tables(runs), np.concatenate(mentions)
    entity = collection.candidates[0, mention] + run["entity"].to_numpy()
    hits = collection.is_gold(entity, mention, system.settings["retrieve"].get("match", "title"))
    ranks = best_ranks(run, mention, hits, len(collection.gold))
    place = run["rank"].to_numpy()
    wanted = np.isin(mention, chosen) & ((place <= keep) | (place == ranks[mention]))
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(mention[rows], kind="stable")]
    return Ranking(
        rank=ranks[chosen],
        counts=np.bincount(mention[rows], minlength=len(ranks))[chosen],
        entity=entity[rows],
        kept=run.take(rows),
        depth=int(place.max(initial=0)),
    )
