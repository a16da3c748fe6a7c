"""Merged layers: what the heuristic search adds to a store."""

from pathlib import Path
from typing import Any

from muver.encoders.stages.settings import MERGE
from muver.encoders.stages.tower import Tower
from muver.io.checking import check_choices, with_defaults
from muver.io.files import write_manifest
from muver.io.progress import logger
from muver.vectors.store import LayerWriter, ViewStore
from muver.views.expand import expand_world
from muver.views.merging import PAIRS, WASTED
from muver.views.search import SEARCHES

CHOICES = {"pairs": PAIRS, "among": tuple(SEARCHES), "wasted": WASTED}


def merge_store(model_folder: Path, store: Path, out: Path, settings: dict[str, Any]) -> None:
    """Merge the views of a store, keeping each layer's new views apart.

    One pass gives the stores of all view counts: layers 0 to n are the entity's views after n
    rounds of merging.

    Parameters
    ----------
    settings
        The ``merge`` section and ``compute`` (:data:`MERGE`): ``layers``; ``top_k``,
        int(views * top_k) pairs a layer; ``pairs``, "distant" or "close"; ``among``,
        "neighbours" (as released) or "all"; ``wasted``, of choices among neighbours that make no
        view: "kept" (as released) or "replaced" by the next pair; ``max_tokens``.

    Writes
    ------
    ``layer1`` to ``layerL``, ``manifest.json``. Of a merged view with gaps, ``first`` and
    ``last`` are the ends.
    """
    settings = with_defaults(settings, MERGE)
    check_choices(settings, CHOICES)
    tower = Tower(model_folder, settings)
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
            spans = layer.in_sentences(added.entities, added.views)
            writer.add(name, added.entities, spans, added.vectors)
        counts[name] = {f"layer{n}": len(a.views) for n, a in enumerate(new, start=1)}
        logger.info("%s: %d views, then %s", name, len(layer.entities), counts[name])
    for number, writer in enumerate(writers, start=1):
        writer.write(out, number)
    origin = {"store": base.fingerprint()}
    write_manifest(out / "manifest.json", "merge", settings, origin, worlds=counts)
