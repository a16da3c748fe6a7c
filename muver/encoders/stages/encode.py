"""The store itself: a vector for each original view of a split's entities, and its mentions."""

from pathlib import Path
from typing import Any

import numpy as np

from muver.encoders.stages.settings import ENCODE
from muver.encoders.stages.tower import Tower
from muver.io.checking import with_defaults
from muver.io.files import write_manifest
from muver.io.matrices import save_matrix
from muver.vectors.store import LayerWriter
from muver.views.worlds import load_worlds


def encode_split(
    model_folder: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    out: Path,
    settings: dict[str, Any],
) -> None:
    """Encode all entities of a split's worlds and its mentions, one vector a view.

    Parameters
    ----------
    settings
        ``split``, and the ``compute`` section (:data:`muver.encoders.stages.settings.COMPUTE`).

    Writes
    ------
    ``layer0.npy``, ``layer0.parquet``; ``mentions.npy``, (mentions, d) with the split's mentions
    by world and then in the corpus' order; ``manifest.json``.
    """
    settings = with_defaults(settings, ENCODE)
    tower = Tower(model_folder, settings)
    worlds = load_worlds(
        entities, mentions, sentences, settings["split"], tower.model.config, tower.model.pieces
    )
    writer = LayerWriter()
    vectors = []
    for world in worlds:
        owners = [entity for entity, some in enumerate(world.views) for _ in some]
        flat = [view for some in world.views for view in some]
        encoded = tower.views([view.ids for view in flat], f"views of {world.name}")
        writer.add(world.name, owners, flat, encoded)
        vectors.append(tower.mentions(world.contexts))
    writer.write(out, 0)
    save_matrix(out / "mentions.npy", np.concatenate(vectors))
    counts = {
        world.name: {
            "entities": len(world.views),
            "views": sum(len(some) for some in world.views),
            "mentions": len(world.mention_ids),
        }
        for world in worlds
    }
    write_manifest(out / "manifest.json", "encode", settings, {}, worlds=counts)
