"""The stages that fill a view store: encoding a split, and merging its views."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from muver.encoders import device
from muver.encoders.biencoder import BiEncoder
from muver.encoders.bulk import encode_vectors
from muver.files import write_manifest
from muver.progress import logger
from muver.views.expand import expand_world
from muver.views.layout import View
from muver.views.store import LayerWriter, ViewStore, save_matrix
from muver.views.worlds import load_worlds


@torch.inference_mode()
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
        ``split``, and the ``compute`` section: ``device``, ``precision``, ``threads``,
        ``batch_tokens``.

    Writes
    ------
    ``layer0.npy``, ``layer0.parquet``; ``mentions.npy``, (mentions, d) with the split's mentions
    by world and then in the corpus' order; ``manifest.json``.
    """
    accelerator = device.start(settings)
    model = BiEncoder.from_pretrained(model_folder).to(accelerator.device).eval()
    worlds = load_worlds(
        entities, mentions, sentences, settings["split"], model.config, model.pieces
    )
    size = (model.dimension, settings["batch_tokens"], accelerator.device)
    writer = LayerWriter()
    vectors = []
    with accelerator.autocast():
        for world in worlds:
            owners = [entity for entity, some in enumerate(world.views) for _ in some]
            flat = [view for some in world.views for view in some]
            ids = [view.ids for view in flat]
            views = encode_vectors(model.encode_views, ids, *size, label=f"views of {world.name}")
            writer.add(world.name, owners, flat, views)
            vectors.append(encode_vectors(model.encode_mentions, world.contexts, *size))
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


@torch.inference_mode()
def merge_store(model_folder: Path, store: Path, out: Path, settings: dict[str, Any]) -> None:
    """Merge the views of a store, keeping each layer's new views apart.

    One pass gives the stores of all view counts: layers 0 to n are the entity's views after n
    rounds of merging.

    Parameters
    ----------
    settings
        The ``merge`` section (``layers``, ``top_k``, ``pairs``, ``max_tokens``) and the
        ``compute`` section.
    """
    accelerator = device.start(settings)
    model = BiEncoder.from_pretrained(model_folder).to(accelerator.device).eval()
    model.require_positions("merge.max_tokens", settings["max_tokens"])
    base = ViewStore(store).layer(0)
    writers = [LayerWriter() for _ in range(settings["layers"])]
    counts: dict[str, dict[str, int]] = {}
    with accelerator.autocast():
        for name in base.worlds:
            layer = base.world(name)
            new = expand_world(
                layer.entities,
                layer.ids.to_pylist(),
                layer.vectors,
                lambda ids, name=name: encode_vectors(
                    model.encode_views,
                    ids,
                    model.dimension,
                    settings["batch_tokens"],
                    accelerator.device,
                    label=f"merged views of {name}",
                ),
                model.pieces.markers,
                settings,
            )
            starts = np.searchsorted(layer.entities, np.arange(int(layer.entities[-1]) + 1))
            for writer, added in zip(writers, new, strict=True):
                spans = [
                    View(
                        view.ids,
                        int(layer.first[starts[entity] + view.first]),
                        int(layer.last[starts[entity] + view.last]),
                    )
                    for entity, view in zip(added.entities, added.views, strict=True)
                ]
                writer.add(name, added.entities, spans, added.vectors)
            counts[name] = {f"layer{n}": len(a.views) for n, a in enumerate(new, start=1)}
            logger.info("%s: %d views, then %s", name, len(layer.entities), counts[name])
    for number, writer in enumerate(writers, start=1):
        writer.write(out, number)
    write_manifest(out / "manifest.json", "merge", settings, {}, worlds=counts)
