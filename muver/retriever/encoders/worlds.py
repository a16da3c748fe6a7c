"""The stages that encode a split: its mentions and views, merged views, and global views.

Merged layers and global views lie in folders of their own.
"""

from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from muver.io.files import write_manifest
from muver.io.progress import logger
from muver.io.text import counted
from muver.io.typed import Count, Natural, Share, Text
from muver.retriever.corpus.schema import read_entities
from muver.retriever.encoders.encode import Encoder, encode
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.vectors.part import MENTIONS, layer_path, open_layer, view_rows, write_part
from muver.retriever.views.build import entity_views
from muver.retriever.views.layout import View, entity_slices, flattened
from muver.retriever.views.merging import expand_world
from muver.retriever.views.views_settings import MergeSearch
from muver.retriever.views.worlds import read_worlds


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
    """Encode the entities and mentions of a split into a view store.

    Writes the parts ``layer0`` and ``mentions``, and ``manifest.json``.
    """
    encoder = Encoder(model_folder, settings)
    of_views, of_mentions = [], []
    for world in read_worlds(entities, mentions, sentences, settings.split):
        views = world.views(encoder.model.config.views, encoder.model.pieces)
        flat, owners = flattened(views)
        encoded = encoder.views([view.ids for view in flat], f"views of {world.name}")
        of_views.append((view_rows(world.name, owners, flat), encoded))
        named = world.mentions.select(MENTIONS.names)
        of_mentions.append((named, encode(world.mentions, encoder)))
    write_part(layer_path(out, 0), of_views)
    write_part(out / "mentions.npy", of_mentions)
    write_manifest(out / "manifest.json", "encode", settings.as_dict(), {})


class Merge(Encoding, kw_only=True):
    """A search of params.yaml's ``merge``, with the fields of :class:`.views.settings.Merging`."""

    layers: Natural
    top_k: Share
    pairs: Literal["distant", "close"]
    among: Literal["neighbours", "all"]
    wasted: Literal["kept", "replaced"] = "kept"  # rows omit it if it is as released
    max_tokens: Count

    __post_init__ = MergeSearch.__post_init__


class GlobalViews(Encoding):
    """One view of each whole description, with at most ``max_tokens`` tokens."""

    max_tokens: Count


def merge_store(model_folder: Path, store: Path, out: Path, settings: Merge) -> None:
    """Merge views, layer by layer, and encode the merged ones.

    Writes ``layer1`` to ``layerL`` and ``manifest.json``.

    Each layer holds its new views only: layers 0 to n are an entity's views after n rounds of
    merging, so one pass serves every number of layers. The ``first`` and ``last`` of a merged view
    with gaps are its ends.
    """
    encoder = Encoder(model_folder, settings)
    encoder.model.require_positions("merge.max_tokens", settings.max_tokens)
    base = open_layer(store, 0)
    layers: list[list[tuple[pa.Table, np.ndarray]]] = [[] for _ in range(settings.layers)]
    for name in base.worlds:
        original = base.world(name)
        new = expand_world(
            original.entities, original.views, original.vectors,
            lambda ids, name=name: encoder.views(ids, f"merged views of {name}"),
            encoder.model.pieces.markers, settings,
        )  # fmt: skip
        for layer, added in zip(layers, new, strict=True):
            layer.append((view_rows(name, added.entities, added.views), added.vectors))
        sizes = [len(added.views) for added in new]
        views = counted(len(original.entities), "view")
        logger.info("%s: %s, merged by layer: %s", name, views, sizes)
    for number, by_world in enumerate(layers, start=1):
        write_part(layer_path(out, number), by_world)
    write_manifest(out / "manifest.json", "merge", settings.as_dict(), {})


def encode_global(
    model_folder: Path, store: Path, entities: Path, out: Path, settings: GlobalViews
) -> None:
    """Encode one view of each entity's whole description, beside those of a store.

    It is laid out as BLINK's.

    Writes ``layer0``, with one row per entity that spans all of its views, and ``manifest.json``.
    """
    encoder = Encoder(model_folder, settings)
    encoder.model.require_positions("global_view.max_tokens", settings.max_tokens)
    pieces = encoder.model.pieces
    base = open_layer(store, 0)
    by_world = []
    for name in base.worlds:
        original = base.world(name)
        described = read_entities(entities, [name])
        slices = entity_slices(original.entities)
        texts = (described[column].to_pylist() for column in ("title", "text"))
        layout = encoder.model.config.views.whole(settings.max_tokens)
        whole = entity_views(*texts, [()] * len(slices), layout, pieces)
        views = [
            View(view.ids, int(original.first[rows.start]), int(original.last[rows.stop - 1]))
            for (view,), rows in zip(whole, slices, strict=True)
        ]
        vectors = encoder.views([view.ids for view in views], f"global views of {name}")
        by_world.append((view_rows(name, range(len(views)), views), vectors))
    write_part(layer_path(out, 0), by_world)
    write_manifest(out / "manifest.json", "encode-global", settings.as_dict(), {})
