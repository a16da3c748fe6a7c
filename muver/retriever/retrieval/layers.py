"""The views that a system ranks by: the store's original views and those made from them."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.files import read_json, write_manifest
from muver.retriever.retrieval.rows import GLOBAL, ORIGINAL, SPAN, Origins
from muver.retriever.retrieval.settings import ViewsRun
from muver.retriever.vectors.part import Part, open_layer

PLACES = ("store", "merged", "global_views", "spans")


def write_index(
    model: Path,
    store: Path,
    entities: Path,
    sentences: Path,
    out: Path,
    settings: ViewsRun,
    merged: Path | None = None,
    global_views: Path | None = None,
    spans: Path | None = None,
    chosen: Path | None = None,
) -> None:
    """Write the JSON file that :class:`muver.Retriever` opens: settings, and where the files are.

    ``chosen``, needed if the aggregate has several values, is a run's manifest with the value that
    validation chose.
    """
    settings = settings.settled(_chosen(chosen, settings))
    given = {"store": store, "merged": merged, "global_views": global_views, "spans": spans}
    given = {name: path for name, path in given.items() if path is not None}
    SystemViews(settings, **given)
    texts = {"entities": entities, "sentences": sentences}
    # Relative to the index, so that the folder can be moved as a whole.
    places = {
        name: os.path.relpath(path, out.parent)
        for name, path in {"model": model, **given, **texts}.items()
    }
    write_manifest(out, "index", settings.as_dict(), {}, **places)


def _chosen(manifest: Path | None, settings: ViewsRun) -> dict[str, Any]:
    """The value that validation chose for these settings, from a run's manifest."""
    if settings.choice is None:
        return {}
    if manifest is None:
        raise InputError(
            f"--chosen is needed, as {settings.choice} has several values: the manifest of a run "
            "with these settings."
        )
    made = read_json(manifest)
    if made.get("settings", {}).get(settings.choice) != settings.values or not made.get("chosen"):
        raise InputError(
            f"{manifest}: not of a run with {settings.choice} chosen among {settings.values}."
        )
    return {settings.choice: made["chosen"][settings.choice]}


class SystemViews:
    """Views of a system, one world at a time: original, merged, global, exhaustive spans.

    With ``spans``, merged views are left out for the entities that have every span.

    Parameters
    ----------
    settings
        Only ``merge_layers``, ``global_view`` and ``spans`` are used.
    store, merged, global_views, spans
        Folders that ``muver stage encode``, ``merge``, ``encode-global`` and ``encode-spans``
        wrote; the last three are needed if the settings ask for their views.
    """

    def __init__(
        self,
        settings: ViewsRun,
        store: Path,
        merged: Path | None = None,
        global_views: Path | None = None,
        spans: Path | None = None,
    ):
        self._base, self._mentions = open_layer(store, 0), Part(store / "mentions.npy")
        self._parts: list[tuple[int, Part]] = [(ORIGINAL, self._base)]
        self._exhaustive = -1  # entities with at most so many views have every span
        if wanted := settings.merge_layers:
            folder = self._given(merged, "merged", "merge_layers")
            made = read_json(folder / "manifest.json")["settings"]["layers"]
            if wanted > made:
                raise InputError(
                    f"{folder}: holds {made} merged layers, the row asks for {wanted}. Raise "
                    "merge.layers in params.yaml."
                )
            self._parts += [(number, open_layer(folder, number)) for number in range(1, wanted + 1)]
        if settings.global_view:
            folder = self._given(global_views, "global-views", "global_view")
            self._parts.append((GLOBAL, open_layer(folder, 0)))
        if settings.spans:
            folder = self._given(spans, "spans", "spans")
            self._parts.append((SPAN, open_layer(folder, 1)))
            made = read_json(folder / "manifest.json")
            self._exhaustive = made["settings"]["max_views"]

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds, in the store's order."""
        return self._base.worlds

    def mention_ids(self, name: str) -> list[str]:
        """Ids of the store's mentions of one world."""
        return self._mentions.rows(name)["mention_id"].to_pylist()

    def mentions(self, name: str) -> np.ndarray:
        """(mentions, d) vectors of the store's mentions of one world."""
        return self._mentions.vectors(name)

    def world(self, name: str) -> tuple[list[np.ndarray], np.ndarray, Origins]:
        """One world's views, kind by kind.

        Returns ------- The (some views, d) vectors of each kind, memory-mapped unless some are left
        out. Then, for the views of all kinds in this order, the (views,) entity of each, and its
        origin.
        """
        layers = [(code, part.world(name)) for code, part in self._parts]
        few = np.bincount(layers[0][1].entities) <= self._exhaustive
        parts, entities, origins = [], [], []
        for code, views in layers:
            vectors, own = views.vectors, views.entities
            origin = Origins(np.full(len(own), code), views.first, views.last)
            if code > 0 and self._exhaustive >= 0:
                # Merged views stay only where not every span is there.
                kept = ~few[own]
                vectors, own = vectors[kept], own[kept]
                origin = Origins(*(column[kept] for column in origin))
            parts.append(vectors)
            entities.append(own)
            origins.append(origin)
        stacked = Origins(*(np.concatenate(columns) for columns in zip(*origins, strict=True)))
        return parts, np.concatenate(entities), stacked

    @staticmethod
    def _given(folder: Path | None, option: str, setting: str) -> Path:
        if folder is None:
            raise InputError(f"--{option} is needed where the settings ask for {setting}.")
        return folder
