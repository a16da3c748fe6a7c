"""Runs straight from a model: entities ranked by token vectors (SOM)."""

from pathlib import Path
from typing import Any

import numpy as np

from muver.corpus.schema import read_mentions
from muver.encoders import device
from muver.encoders.biencoder import BiEncoder
from muver.io.files import write_manifest
from muver.retrieval.exact import rank_scores
from muver.retrieval.rows import ORIGINAL, Origins, RunRows, candidates
from muver.retrieval.settings import TOKENS, check_settings
from muver.retrieval.tokens import score_world
from muver.views.worlds import load_worlds


def retrieve_over_tokens(
    model_folder: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    run: Path,
    manifest: Path,
    settings: dict[str, Any],
    compute: dict[str, Any],
) -> None:
    """Rank entities by token vectors, encoded a chunk at a time and never stored (SOM).

    The manifest counts every token vector of an entity as a view.

    Parameters
    ----------
    settings
        Those of :data:`muver.retrieval.settings.TOKENS`; what is left out has its default.
    compute
        ``device``, ``precision``, ``threads``, ``batch_tokens``.
    """
    settings = check_settings(settings, TOKENS)
    accelerator = device.start(compute)
    model = BiEncoder.from_pretrained(model_folder).to(accelerator.device).eval()
    rows = RunRows()
    counts = {"entities": 0, "views": 0}
    for world in load_worlds(
        entities, mentions, sentences, settings["split"], model.config, model.pieces
    ):
        views = [some[0] for some in world.views]
        with accelerator.autocast():
            scores = score_world(
                model.encode_mentions,
                model.encode_views,
                world.contexts,
                [view.ids for view in views],
                device.batch_tokens(compute["batch_tokens"], accelerator.device),
                accelerator.device,
                label=f"entities of {world.name}",
                memory_mb=settings["memory_mb"],
                pad_to=model.config.pad_to,
            )
        candidate_of = candidates(world.titles, settings["match"])
        ranking = rank_scores(scores, candidate_of, settings["k"], settings["memory_mb"])
        origins = Origins(
            np.full(len(views), ORIGINAL),
            np.array([view.first for view in views]),
            np.array([view.last for view in views]),
        )
        rows.add(world.name, world.mention_ids, world.titles, ranking, origins)
        counts["entities"] += len(views)
        counts["views"] += sum(model.config.pad_to[1] or len(view.ids) for view in views)
    rows.write(run, read_mentions(mentions, settings["split"])["mention_id"].to_pylist())
    write_manifest(manifest, "retrieve", settings, {}, counts=counts)
