"""What each view adds to a candidate's score, read from the vectors that a row was ranked by.

Only of a mention's first candidate and of its gold entity, and only of rows that score several
views of sentences in worlds. No model is run.
"""

from pathlib import Path
from typing import Any

import numpy as np

from muver.io.checksums import check
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import read
from muver.reproduction.report.collection import Collection, Ranking
from muver.reproduction.workspace.artifact import origins, place_of
from muver.retriever.retrieval.layers import PLACES, Parts, SystemViews
from muver.retriever.retrieval.retrieval_settings import ViewsRun
from muver.retriever.retrieval.rows import Origins

LISTED = 5  # views of a candidate; of the others the page says how many they are
KINDS = dict(zip(PLACES, ("stores", "merged", "globals"), strict=True))
Data = dict[str, list[Any]]


def view_parts(run: Path, collection: Collection, chosen: np.ndarray, ranking: Ranking) -> Data:
    """``parts`` of a row in :mod:`muver.reproduction.report.explorer`, from its run's vectors."""
    if (place := place_of(run)) is None:
        raise InputError(f"{run}: no catalog.json above it says which vectors it was made from.")
    views, settings = _opened(run, *place)
    found = _parts(collection, chosen, _asked(collection, chosen, ranking), views, settings)
    return {
        "counts": [len(views) for views, _ in found],
        "views": [views for _, views in found],
        **{
            name: [line[column] for lines, _ in found for line in lines]
            for column, name in enumerate(("layer", "first", "last", "similarity", "share"))
        },
    }


def _opened(run: Path, root: Path, place: str) -> tuple[SystemViews, ViewsRun]:
    """The views that a run was ranked by, and its settings with what validation chose.

    ``place`` is the run's path below the dataset's folder, ``root``.
    """
    manifest = run.with_suffix(".json")
    check([manifest])
    manifest_of_run = read_json(manifest)
    settings = read(ViewsRun, manifest_of_run["settings"], str(manifest)).settled(
        manifest_of_run.get("chosen") or {}
    )
    made_of = origins(root, place)
    if KINDS["store"] not in made_of:
        raise InputError(f"catalog.json names no vectors of {place}.")
    folders = {role: made_of[kind] for role, kind in KINDS.items() if kind in made_of}
    return SystemViews(settings, **folders), settings


def _asked(collection: Collection, chosen: np.ndarray, ranking: Ranking) -> np.ndarray:
    """(n, 2) numbers of the first candidate and the gold entity of each mention; -1: the same."""
    first = ranking.entity[np.cumsum(ranking.counts) - ranking.counts]
    gold = collection.gold[chosen]
    # Where titles decide, the one found may be another entity of the gold one's title.
    at_gold = ranking.kept["rank"].to_numpy() == np.repeat(ranking.rank, ranking.counts)
    gold[ranking.rank > 0] = ranking.entity[at_gold]
    return np.stack([first, np.where(ranking.rank == 1, -1, gold)], axis=1)


def _parts(
    collection: Collection,
    chosen: np.ndarray,
    asked: np.ndarray,
    views: SystemViews,
    settings: ViewsRun,
) -> list[tuple[list[tuple], int]]:
    """Of each entity asked for the views listed, and how many there are, mention after mention."""
    found: dict[tuple[int, int], tuple[list[tuple], int]] = {}
    aggregate, metric = views.aggregate, settings.metric
    world_of = collection.world[chosen]
    for number in np.unique(world_of):
        world, shown = collection.worlds[number], np.flatnonzero(world_of == number)
        start, end = collection.candidates[:, chosen[shown[0]]]
        candidate_of = np.arange(end - start)
        if settings.match == "title":
            candidate_of = collection.namesake[start:end] - start
        entities = asked[shown] - start
        among = entities[asked[shown] >= 0]
        index, origin = views.few_candidates(world, candidate_of, among)
        vectors = views.mentions(world)
        places = np.searchsorted(np.flatnonzero(collection.world == number), chosen[shown])
        for row, place, pair in zip(shown, places, entities, strict=True):
            for which in np.flatnonzero(asked[row] >= 0):
                entity = int(pair[which])
                parts = Parts.of(vectors[place], index, entity, aggregate, metric)
                found[row, which] = _listed(parts, entity, origin), len(parts.rows)
    return [found.get((row, which), ([], 0)) for row in range(len(chosen)) for which in (0, 1)]


def _listed(parts: Parts, entity: int, origin: Origins) -> list[tuple]:
    """The first views that are the entity's own, not of another one of its title."""
    listed = np.flatnonzero(parts.owners == entity)[:LISTED]
    rows = parts.rows[listed]
    columns = [column[rows].tolist() for column in origin]
    similarities = [round(float(f"{number:.4g}"), 3) for number in parts.similarities[listed]]
    shares = [round(float(number), 3) for number in parts.shares[listed]]
    return list(zip(*columns, similarities, shares, strict=True))
