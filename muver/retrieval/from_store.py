"""Runs from a view store: entities ranked by vectors that lie on disk."""

from pathlib import Path
from typing import Any

import numpy as np

from muver.corpus.schema import read_entities, read_mentions
from muver.io.errors import InputError
from muver.io.files import write_manifest
from muver.io.matrices import load_matrix
from muver.io.progress import Progress, logger
from muver.retrieval.exact import build_world, rank
from muver.retrieval.layers import SystemViews
from muver.retrieval.rows import RunRows, candidates
from muver.retrieval.settings import VECTORS, check_settings


def retrieve_from_store(
    store: Path,
    merged: Path | None,
    entities: Path,
    mentions: Path,
    run: Path,
    manifest: Path,
    settings: dict[str, Any],
    *,
    global_views: Path | None = None,
    spans: Path | None = None,
) -> None:
    """Rank entities by the vectors of a store.

    Parameters
    ----------
    merged, global_views, spans
        Folders of further views (:class:`muver.retrieval.layers.SystemViews`).
    settings
        Those of :data:`muver.retrieval.settings.VECTORS`; what is left out has its default.
    """
    settings = check_settings(settings, VECTORS)
    views = SystemViews(settings, store, merged, global_views, spans)
    vectors = load_matrix(store / "mentions.npy", "Run the encode stage first.")
    table = read_mentions(mentions, settings["split"])
    if table.num_rows != len(vectors):
        raise InputError(
            f"{store / 'mentions.npy'} has {len(vectors)} rows, {mentions} has {table.num_rows} "
            f"mentions in split {settings['split']!r}: they belong to different runs. Run the "
            "encode stage again."
        )
    worlds = np.array(table["world"].to_pylist(), dtype=object)
    if set(worlds) != set(views.worlds):
        raise InputError(
            f"{store} holds the worlds {', '.join(views.worlds)}, the mentions in split "
            f"{settings['split']!r} are of {', '.join(sorted(set(worlds)))}. Run the encode stage "
            "again."
        )
    ids = np.array(table["mention_id"].to_pylist(), dtype=object)
    rows = RunRows()
    counts = {"entities": 0, "views": 0}
    progress = Progress("ranking", len(vectors), "mentions")
    position = 0
    for name in views.worlds:
        own = ids[worlds == name].tolist()
        titles = read_entities(entities, [name])["title"].to_pylist()
        parts, owners, origins = views.world(name)
        ranking = rank(
            vectors[position : position + len(own)],
            build_world(parts, owners, candidates(titles, settings["match"])),
            settings["k"],
            settings["aggregate"],
            settings["softmax_candidates"],
            settings["memory_mb"],
            metric=settings["metric"],
            advance=progress.advance,
        )
        position += len(own)
        rows.add(name, own, titles, ranking, origins)
        counts["entities"] += len(titles)
        counts["views"] += len(owners)
        logger.info("%s: %d mentions against %d views", name, len(own), len(owners))
    progress.finish()
    rows.write(run, ids.tolist())
    write_manifest(manifest, "retrieve", settings, {"store": views.fingerprint}, counts=counts)
