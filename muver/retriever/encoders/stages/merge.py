"""Merged layers: the views that the heuristic search adds to a store."""

from pathlib import Path

from muver.io.files import write_manifest
from muver.io.progress import logger
from muver.retriever.encoders.stages.encoder import Encoder
from muver.retriever.encoders.stages.settings import Merge
from muver.retriever.vectors.part import LayerWriter, open_layer
from muver.retriever.views.expand import expand_world


def merge_store(model_folder: Path, store: Path, out: Path, settings: Merge) -> None:
    """Merge the views of a store and write ``layer1`` to ``layerL`` and ``manifest.json``.

    Each layer holds its new views only: layers 0 to n are an entity's views after n rounds of
    merging, so one pass serves every number of layers. The ``first`` and ``last`` of a merged view
    with gaps are its ends.
    """
    encoder = Encoder(model_folder, settings)
    encoder.model.require_positions("merge.max_tokens", settings.max_tokens)
    base = open_layer(store, 0)
    writers = [LayerWriter() for _ in range(settings.layers)]
    counts: dict[str, dict[str, int]] = {}
    for name in base.worlds:
        original = base.world(name)
        new = expand_world(
            original.entities,
            original.ids.to_pylist(),
            original.vectors,
            lambda ids, name=name: encoder.views(ids, f"merged views of {name}"),
            encoder.model.pieces.markers,
            settings.search,
        )
        for writer, added in zip(writers, new, strict=True):
            spans = original.in_sentences(added.entities, added.views)
            writer.add(name, added.entities, spans, added.vectors)
        counts[name] = {f"layer{n}": len(a.views) for n, a in enumerate(new, start=1)}
        logger.info("%s: %d views, then %s", name, len(original.entities), counts[name])
    for number, writer in enumerate(writers, start=1):
        writer.write(out, number)
    write_manifest(out / "manifest.json", "merge", settings.as_dict(), {}, worlds=counts)
