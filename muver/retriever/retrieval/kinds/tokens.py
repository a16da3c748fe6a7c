"""Token vectors (SOM): entities are encoded chunk by chunk, and no vector is stored."""

from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType

from muver.io.typed import Count
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.retrieval.retrieval_settings import Run


class Settings(Run, kw_only=True):
    """The settings that every run has, a bound on the memory, and how many vectors an entity keeps
    (``pool``, as of views; by default all).
    """

    memory_mb: Count
    pool: Count | UnsetType = UNSET


def retrieve(
    settings: Settings,
    run: Path,
    *,
    entities: Path,
    mentions: Path,
    sentences: Path,
    model: Path,
    compute: Machine,
) -> dict[str, Any]:
    """Rank the entities of each mention's world by their token vectors.

    The manifest counts every token vector of an entity as a view.
    """
    import numpy as np

    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.encoders.biencoder import BiEncoder
    from muver.retriever.encoders.encode import LoadedModel
    from muver.retriever.retrieval.exact import rank_scores
    from muver.retriever.retrieval.rows import ORIGINAL, Origins, RunRows
    from muver.retriever.retrieval.tokens import score_world
    from muver.retriever.views.worlds import load_worlds

    loaded = LoadedModel(BiEncoder, model, compute)
    towers, config = loaded.model, loaded.model.config
    rows = RunRows(entities, read_mentions(mentions, settings.split), settings)
    counts = {"entities": 0, "views": 0}
    for world in load_worlds(entities, mentions, sentences, settings.split, config, towers.pieces):
        views = [of_entity[0] for of_entity in world.views]
        with loaded.autocast():
            scores = score_world(
                towers, world.contexts, [view.ids for view in views], loaded.batch_tokens,
                f"entities of {world.name}", settings.memory_mb, settings.pool or None,
            )  # fmt: skip
        found_in = rows.candidates(world.name)
        ranking = rank_scores(scores, found_in.candidate_of, rows.k, settings.memory_mb)
        origins = Origins(
            np.full(len(views), ORIGINAL),
            np.array([view.first for view in views]),
            np.array([view.last for view in views]),
        )
        rows.add(found_in, world.mention_ids, ranking, origins)
        counts["entities"] += len(views)
        lengths = (config.pad_to[1] or len(view.ids) for view in views)
        counts["views"] += sum(min(length, settings.pool or length) for length in lengths)
    counts["bytes"] = 4 * towers.dimension * counts["views"]
    rows.write(run)
    return {"counts": counts}
