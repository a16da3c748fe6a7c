"""Fill the store: a vector for each mention of a split and each original view of its entities."""

from pathlib import Path

import numpy as np

from muver.io.files import write_manifest
from muver.io.parquet import table_of
from muver.io.typed import Text
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.encoders.stages import Encoder
from muver.retriever.vectors.part import MENTIONS, LayerWriter, write_part
from muver.retriever.views.worlds import load_worlds


class Encode(Encoding):
    """The entities and mentions of a split."""

    split: Text


def encode_split(
    model_folder: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    out: Path,
    settings: Encode,
) -> None:
    """Encode all entities of a split's worlds and its mentions.

    Writes the parts ``layer0`` and ``mentions``, and ``manifest.json``.
    """
    encoder = Encoder(model_folder, settings)
    config, pieces = encoder.model.config, encoder.model.pieces
    worlds = load_worlds(entities, mentions, sentences, settings.split, config, pieces)
    writer = LayerWriter()
    vectors, named = [], []
    for world in worlds:
        owners = [entity for entity, some in enumerate(world.views) for _ in some]
        flat = [view for some in world.views for view in some]
        encoded = encoder.views([view.ids for view in flat], f"views of {world.name}")
        writer.add(world.name, owners, flat, encoded)
        vectors.append(encoder.mentions(world.contexts))
        names = [world.name] * len(world.mention_ids)
        named.append(table_of(MENTIONS, [names, world.mention_ids]))
    writer.write(out, 0)
    write_part(out / "mentions.npy", np.concatenate(vectors), named)
    write_manifest(out / "manifest.json", "encode", settings.as_dict(), {})
