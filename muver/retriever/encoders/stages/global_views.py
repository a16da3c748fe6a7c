"""Global views: one more view per entity, of its whole description."""

from pathlib import Path

from muver.io.files import write_manifest
from muver.retriever.corpus.schema import read_entities
from muver.retriever.encoders.stages.encoder import Encoder
from muver.retriever.encoders.stages.settings import GlobalViews
from muver.retriever.vectors.part import LayerWriter, open_layer
from muver.retriever.views.build import prompted_titles
from muver.retriever.views.layout import View, entity_slices, prefix_view


def encode_global(
    model_folder: Path, store: Path, entities: Path, out: Path, settings: GlobalViews
) -> None:
    """Give every entity of a store one view of its whole description, laid out as BLINK's.

    Writes ``layer0``, with one row per entity that spans all of its views, and ``manifest.json``.
    """
    encoder = Encoder(model_folder, settings)
    encoder.model.require_positions("global_view.max_tokens", settings.max_tokens)
    pieces = encoder.model.pieces
    base = open_layer(store, 0)
    writer = LayerWriter()
    counts = {}
    for name in base.worlds:
        original = base.world(name)
        described = read_entities(entities, [name])
        own = entity_slices(original.entities)
        titles = prompted_titles(described["title"].to_pylist(), encoder.model.config.views, pieces)
        texts = pieces.ids(described["text"].to_pylist(), within=True)
        views = [
            View(
                prefix_view(title, text, pieces.markers, settings.max_tokens),
                int(original.first[some.start]),
                int(original.last[some.stop - 1]),
            )
            for title, text, some in zip(titles, texts, own, strict=True)
        ]
        vectors = encoder.views([view.ids for view in views], f"global views of {name}")
        writer.add(name, range(len(views)), views, vectors)
        counts[name] = {"entities": len(views)}
    writer.write(out, 0)
    write_manifest(out / "manifest.json", "encode-global", settings.as_dict(), {}, worlds=counts)
