"""The views that a system ranks by: the store's original views and those made from them."""

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.files import read_json, write_manifest
from muver.io.matrices import load_matrix
from muver.retriever.retrieval.rows import GLOBAL, ORIGINAL, SPAN, Origins
from muver.retriever.retrieval.settings import ViewsRun
from muver.retriever.vectors.store import LayerFile, ViewStore

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
        Folders that ``muver encode``, ``merge``, ``encode-global`` and ``encode-spans`` wrote; the
        last three are needed if the settings ask for their views.
    """

    def __init__(
        self,
        settings: ViewsRun,
        store: Path,
        merged: Path | None = None,
        global_views: Path | None = None,
        spans: Path | None = None,
    ):
        self._store = ViewStore(store)
        self._base = self._store.layer(0)
        self._parts: list[tuple[int, LayerFile]] = [(ORIGINAL, self._base)]
        self._exhaustive = -1  # entities with at most so many views have every span
        if wanted := settings.merge_layers:
            folder, manifest = self._open(merged, "merged", "merge_layers", "merge")
            made = manifest["settings"]["layers"]
            if wanted > made:
                raise InputError(
                    f"{folder}: holds {made} merged layers, the row asks for {wanted}. Raise "
                    "merge.layers in params.yaml."
                )
            layers = ViewStore(folder)
            self._parts += [(number, layers.layer(number)) for number in range(1, wanted + 1)]
        if settings.global_view:
            folder, _ = self._open(global_views, "global-views", "global_view", "encode-global")
            self._parts.append((GLOBAL, ViewStore(folder).layer(0)))
        if settings.spans:
            folder, manifest = self._open(spans, "spans", "spans", "encode-spans")
            self._parts.append((SPAN, ViewStore(folder).layer(1)))
            self._exhaustive = manifest["settings"]["max_views"]

    @cached_property
    def fingerprint(self) -> str:
        """The store's fingerprint, cached because it takes a pass over the vectors."""
        return self._store.fingerprint()

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds, in the store's order."""
        return self._base.worlds

    def mentions(self, name: str) -> np.ndarray:
        """(mentions, d) vectors of the store's mentions of one world."""
        path = self._store.folder / "manifest.json"
        counts = {world: own["mentions"] for world, own in read_json(path)["worlds"].items()}
        before = self.worlds[: self.worlds.index(name)]
        start = sum(counts[world] for world in before)
        vectors = load_matrix(self._store.folder / "mentions.npy", "Run the encode stage first.")
        return vectors[start : start + counts[name]]

    def world(self, name: str) -> tuple[list[np.ndarray], np.ndarray, Origins]:
        """One world's views, kind by kind.

        Returns ------- The (some views, d) vectors of each kind, memory-mapped unless some are left
        out. Then, for the views of all kinds in this order, the (views,) entity of each, and its
        origin.
        """
        layers = [(code, file.world(name)) for code, file in self._parts]
        few = np.bincount(layers[0][1].entities) <= self._exhaustive
        parts, entities, origins = [], [], []
        for code, layer in layers:
            vectors, own = layer.vectors, layer.entities
            origin = Origins(np.full(len(own), code), layer.first, layer.last)
            if (
                code > 0 and self._exhaustive >= 0
            ):  # keep merged views only of entities without every span
                kept = ~few[own]
                vectors, own = vectors[kept], own[kept]
                origin = Origins(*(column[kept] for column in origin))
            parts.append(vectors)
            entities.append(own)
            origins.append(origin)
        stacked = Origins(*(np.concatenate(columns) for columns in zip(*origins, strict=True)))
        return parts, np.concatenate(entities), stacked

    def _open(
        self, folder: Path | None, option: str, setting: str, command: str
    ) -> tuple[Path, dict[str, Any]]:
        """A folder of further views and its manifest, after a check that they are of this store."""
        if folder is None:
            raise InputError(f"--{option} is needed where the settings ask for {setting}.")
        manifest = read_json(folder / "manifest.json")
        if manifest.get("inputs", {}).get("store") != self.fingerprint:
            raise InputError(
                f"{folder}: made from another store than {self._store.folder}. Run `muver "
                f"{command}` again."
            )
        return folder, manifest
