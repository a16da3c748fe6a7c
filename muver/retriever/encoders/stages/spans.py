"""Exhaustive spans: every run of neighbouring views, for entities with few views."""

from pathlib import Path

from muver.io.files import write_manifest
from muver.io.progress import logger
from muver.retriever.encoders.stages.encoder import Encoder
from muver.retriever.encoders.stages.settings import Spans
from muver.retriever.vectors.part import LayerWriter, open_layer
from muver.retriever.views.expand import every_span
from muver.retriever.views.layout import entity_slices


def encode_spans(model_folder: Path, store: Path, out: Path, settings: Spans) -> None:
    """Merge every run of neighbouring views of the entities that have few of them.

    An entity's best view then scores at least as high as under any merging of neighbours. This
    holds for every candidate, so the gold entity's rank may still fall.

    Writes ``layer1``, and ``manifest.json``, whose ``exhaustive`` says how many of the ``entities``
    have few enough views.
    """
    encoder = Encoder(model_folder, settings)
    encoder.model.require_positions("spans.max_tokens", settings.max_tokens)
    base = open_layer(store, 0)
    writer = LayerWriter()
    counts = {}
    for name in base.worlds:
        original = base.world(name)
        sizes = [own.stop - own.start for own in entity_slices(original.entities)]
        owners, views = every_span(
            original.entities,
            original.ids.to_pylist(),
            encoder.model.pieces.markers,
            settings.max_views,
            settings.max_tokens,
        )
        vectors = encoder.views([view.ids for view in views], f"spans of {name}")
        writer.add(name, owners, original.in_sentences(owners, views), vectors)
        counts[name] = {
            "entities": len(sizes),
            "exhaustive": sum(size <= settings.max_views for size in sizes),
            "spans": len(views),
        }
        logger.info("%s: %s", name, counts[name])
    writer.write(out, 1)
    totals = {
        key: sum(world[key] for world in counts.values()) for key in ("entities", "exhaustive")
    }
    manifest = out / "manifest.json"
    write_manifest(manifest, "encode-spans", settings.as_dict(), {}, **totals, worlds=counts)
