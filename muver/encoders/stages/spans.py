"""Exhaustive spans: every run of neighbouring views, of entities that have few views."""

from pathlib import Path
from typing import Any

from muver.encoders.stages.settings import SPANS
from muver.encoders.stages.tower import Tower
from muver.io.checking import with_defaults
from muver.io.files import write_manifest
from muver.io.progress import logger
from muver.vectors.store import LayerWriter, ViewStore
from muver.views.expand import every_span
from muver.views.slices import entity_slices


def encode_spans(model_folder: Path, store: Path, out: Path, settings: dict[str, Any]) -> None:
    """Merge every run of neighbouring views of the entities that have few of them.

    An entity's score by its best view is then at least what any merging of its neighbours gives.
    That holds of every candidate, so it says nothing of the gold entity's rank.

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
    tower = Tower(model_folder, settings)
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
        writer.add(name, owners, layer.in_sentences(owners, views), vectors)
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
