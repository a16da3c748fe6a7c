"""The stages that fill a view store, and those that add further views to it.

Merged layers, global views and exhaustive spans lie in folders of their own. Their manifests hold
the store's fingerprint, so that retrieval can refuse those of another store.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from muver.checking import with_defaults
from muver.corpus.schema import read_entities
from muver.encoders import device
from muver.encoders.biencoder import BiEncoder
from muver.encoders.bulk import Encode, encode_vectors
from muver.errors import InputError
from muver.files import write_manifest
from muver.progress import logger
from muver.views.expand import entity_slices, every_span, expand_world
from muver.views.layout import Ids, View, prefix_view
from muver.views.merging import PAIRS
from muver.views.search import SEARCHES
from muver.views.store import Layer, LayerWriter, ViewStore, save_matrix
from muver.views.worlds import load_worlds

COMPUTE = {
    "device": "auto",
    "precision": "fp32",
    "threads": 1,
    "processes": 1,  # of training jobs; these stages are one process
    "batch_tokens": 16384,
}
ENCODE = {"split": "test", **COMPUTE}
MERGE = {
    "layers": 4,
    "top_k": 0.4,
    "pairs": "distant",
    "among": "neighbours",
    "max_tokens": 512,
    **COMPUTE,
}
GLOBAL = {"max_tokens": 128, **COMPUTE}
SPANS = {"max_views": 10, "max_tokens": 512, **COMPUTE}


class _Tower:
    """A model that is ready to encode, on the device and in the batches that settings say."""

    def __init__(self, folder: Path, settings: dict[str, Any]):
        self._accelerator = device.start(settings)
        self._batch_tokens = settings["batch_tokens"]
        self.model = BiEncoder.from_pretrained(folder).to(self._accelerator.device).eval()
        if self.model.config.score == "sum_max":
            raise InputError(
                f"{folder}: compares token vectors, which are not stored. Rank with "
                "`muver retrieve --model`."
            )

    def views(self, ids: Sequence[Ids], label: str) -> np.ndarray:
        """Vectors of views: (views, d)."""
        return self._encode(self.model.encode_views, ids, label)

    def mentions(self, contexts: Sequence[Ids]) -> np.ndarray:
        """Vectors of contexts: (mentions, d)."""
        return self._encode(self.model.encode_mentions, contexts, None)

    def _encode(self, encode: Encode, ids: Sequence[Ids], label: str | None) -> np.ndarray:
        with self._accelerator.autocast():
            return encode_vectors(
                encode,
                ids,
                self.model.dimension,
                self._batch_tokens,
                self._accelerator.device,
                label=label,
            )


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
        ``split``, and the ``compute`` section (:data:`COMPUTE`).

    Writes
    ------
    ``layer0.npy``, ``layer0.parquet``; ``mentions.npy``, (mentions, d) with the split's mentions
    by world and then in the corpus' order; ``manifest.json``.
    """
    settings = with_defaults(settings, ENCODE)
    tower = _Tower(model_folder, settings)
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


def merge_store(model_folder: Path, store: Path, out: Path, settings: dict[str, Any]) -> None:
    """Merge the views of a store, keeping each layer's new views apart.

    One pass gives the stores of all view counts: layers 0 to n are the entity's views after n
    rounds of merging.

    Parameters
    ----------
    settings
        The ``merge`` section and ``compute`` (:data:`MERGE`): ``layers``; ``top_k``,
        int(views * top_k) pairs a layer; ``pairs``, "distant" or "close"; ``among``,
        "neighbours" (as released) or "all"; ``max_tokens``.

    Writes
    ------
    ``layer1`` to ``layerL``, ``manifest.json``. Of a merged view with gaps, ``first`` and
    ``last`` are the ends.
    """
    settings = _merge_settings(settings)
    tower = _Tower(model_folder, settings)
    tower.model.require_positions("merge.max_tokens", settings["max_tokens"])
    base = ViewStore(store)
    writers = [LayerWriter() for _ in range(settings["layers"])]
    counts: dict[str, dict[str, int]] = {}
    for name, layer in base.layer(0).all_worlds():
        new = expand_world(
            layer.entities,
            layer.ids.to_pylist(),
            layer.vectors,
            lambda ids, name=name: tower.views(ids, f"merged views of {name}"),
            tower.model.pieces.markers,
            settings,
        )
        for writer, added in zip(writers, new, strict=True):
            spans = _in_sentences(layer, added.entities, added.views)
            writer.add(name, added.entities, spans, added.vectors)
        counts[name] = {f"layer{n}": len(a.views) for n, a in enumerate(new, start=1)}
        logger.info("%s: %d views, then %s", name, len(layer.entities), counts[name])
    for number, writer in enumerate(writers, start=1):
        writer.write(out, number)
    origin = {"store": base.fingerprint()}
    write_manifest(out / "manifest.json", "merge", settings, origin, worlds=counts)


def encode_global(
    model_folder: Path, store: Path, entities: Path, out: Path, settings: dict[str, Any]
) -> None:
    """Give every entity of a store one view of its whole description, cut to ``max_tokens``.

    The layout is BLINK's; it is encoded by the same tower as the entity's other views.

    Parameters
    ----------
    settings
        ``max_tokens`` and ``compute`` (:data:`GLOBAL`).

    Writes
    ------
    ``layer0``, one row an entity, its span that of all the entity's views; ``manifest.json``.
    """
    settings = with_defaults(settings, GLOBAL)
    tower = _Tower(model_folder, settings)
    tower.model.require_positions("global_view.max_tokens", settings["max_tokens"])
    pieces = tower.model.pieces
    base = ViewStore(store)
    writer = LayerWriter()
    counts = {}
    for name, layer in base.layer(0).all_worlds():
        described = read_entities(entities, [name])
        own = entity_slices(layer.entities)
        if len(own) != described.num_rows:
            raise InputError(
                f"{store} has {len(own)} entities and {entities} {described.num_rows} of world "
                f"{name!r}: they belong to different runs. Run the encode stage again."
            )
        titles, texts = (pieces.ids(described[c].to_pylist()) for c in ("title", "text"))
        views = [
            View(
                prefix_view(title, text, pieces.markers, settings["max_tokens"]),
                int(layer.first[some.start]),
                int(layer.last[some.stop - 1]),
            )
            for title, text, some in zip(titles, texts, own, strict=True)
        ]
        vectors = tower.views([view.ids for view in views], f"global views of {name}")
        writer.add(name, range(len(views)), views, vectors)
        counts[name] = {"entities": len(views)}
    writer.write(out, 0)
    origin = {"store": base.fingerprint()}
    write_manifest(out / "manifest.json", "encode-global", settings, origin, worlds=counts)


def encode_spans(model_folder: Path, store: Path, out: Path, settings: dict[str, Any]) -> None:
    """Merge every run of neighbouring views of the entities that have few of them.

    The best of these views is an upper bound for merging neighbours.

    Parameters
    ----------
    settings
        ``max_views``: entities with more views are left out; ``max_tokens`` of a span; and
        ``compute`` (:data:`SPANS`).

    Writes
    ------
    ``layer1``; ``manifest.json``, whose ``exhaustive`` counts the entities that were not left
    out, of all ``entities``.
    """
    settings = with_defaults(settings, SPANS)
    tower = _Tower(model_folder, settings)
    tower.model.require_positions("spans.max_tokens", settings["max_tokens"])
    base = ViewStore(store)
    writer = LayerWriter()
    counts = {}
    for name, layer in base.layer(0).all_worlds():
        sizes = [own.stop - own.start for own in entity_slices(layer.entities)]
        owners, views = every_span(
            layer.entities,
            layer.ids.to_pylist(),
            tower.model.pieces.markers,
            settings["max_views"],
            settings["max_tokens"],
        )
        vectors = tower.views([view.ids for view in views], f"spans of {name}")
        writer.add(name, owners, _in_sentences(layer, owners, views), vectors)
        counts[name] = {
            "entities": len(sizes),
            "exhaustive": sum(size <= settings["max_views"] for size in sizes),
            "spans": len(views),
        }
        logger.info("%s: %s", name, counts[name])
    writer.write(out, 1)
    totals = {
        key: sum(world[key] for world in counts.values()) for key in ("entities", "exhaustive")
    }
    origin = {"store": base.fingerprint()}
    write_manifest(out / "manifest.json", "encode-spans", settings, origin, **totals, worlds=counts)


def _merge_settings(given: dict[str, Any]) -> dict[str, Any]:
    settings = with_defaults(given, MERGE)
    for key, allowed in (("pairs", PAIRS), ("among", tuple(SEARCHES))):
        if settings[key] not in allowed:
            raise InputError(
                f"--settings: {key} is {settings[key]!r}, expected {' or '.join(allowed)}."
            )
    return settings


def _in_sentences(layer: Layer, owners: Sequence[int], views: Sequence[View]) -> list[View]:
    """Views whose ``first..last`` count an entity's original views, counted in sentences."""
    starts = {int(layer.entities[own.start]): own.start for own in entity_slices(layer.entities)}
    return [
        View(
            view.ids,
            int(layer.first[starts[owner] + view.first]),
            int(layer.last[starts[owner] + view.last]),
        )
        for owner, view in zip(owners, views, strict=True)
    ]
