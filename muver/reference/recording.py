"""Reads and checks a recording of the released system."""

import gzip
import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from muver.io.errors import InputError
from muver.reference.form import FORMS

VECTORS = "vectors.npz"
FILES = (*(f"{name}.json.gz" for name in FORMS), VECTORS)
MERGING = {"plain": 0, "merge1": 1, "merge4": 4}  # layers of merging by name
SETTINGS = ("max_cand_len", "max_seq_len", "top_k")


@dataclass(frozen=True)
class Recording:
    """Inputs and outputs of the released system for one world.

    Attributes
    ----------
    name
        The folder's name.
    inputs, tokens, ranks
        The JSON files (:mod:`muver.reference.form`).
    arrays
        The arrays of ``vectors.npz``: ``context`` (mentions, d), ``views`` (views, d),
        ``view_offset`` (entities,), and for each name in ``MERGING`` ``scores_*`` (mentions,
        views of the world) with ``view_entity_*`` (views of the world,).
    """

    name: str
    inputs: dict[str, Any]
    tokens: dict[str, Any]
    ranks: dict[str, Any]
    arrays: dict[str, np.ndarray]

    @property
    def settings(self) -> dict[str, Any]:
        """``max_cand_len``, ``max_seq_len`` (pieces) and ``top_k``."""
        return self.tokens["settings"]

    @property
    def entities(self) -> list[dict[str, Any]]:
        """The entities whose tokens, merging and vectors were recorded."""
        return self.tokens["entities"]

    @property
    def layers(self) -> int:
        """Number of layers of merging."""
        return len(self.entities[0]["merged"])

    @property
    def titles(self) -> list[str]:
        """Title of every entity of the world."""
        return [document["title"] for document in self.inputs["documents"]]


def find_recordings(folder: Path) -> list[Path]:
    """The recordings in a folder: the folder itself, or its subfolders.

    Raises
    ------
    InputError
        If there is no recording.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory.")
    if any((folder / name).is_file() for name in FILES):
        return [folder]
    found = sorted(
        inner
        for inner in folder.iterdir()
        if inner.is_dir() and any((inner / name).is_file() for name in FILES)
    )
    if not found:
        raise InputError(
            f"{folder}: no recording in it. Expected the files {', '.join(FILES)}, or one folder "
            "with these files for each world."
        )
    return found


def read_recording(folder: Path) -> Recording:
    """Read and check one recording.

    Raises
    ------
    InputError
        If a file or key is missing, damaged or inconsistent with the others.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder}: {', '.join(missing)} missing; {_version()}")
    parts = {name: _read_json(folder / f"{name}.json.gz", form) for name, form in FORMS.items()}
    recording = Recording(folder.resolve().name, **parts, arrays=_read_arrays(folder / VECTORS))
    _check_tokens(recording, folder)
    _check_arrays(recording, folder / VECTORS)
    _check_ranks(recording, folder)
    return recording


def _version() -> str:
    return (
        f"it is of another version than the one that can be replayed ({', '.join(FILES)} with the "
        "keys that muver/reference/form.py lists)."
    )


def _read_json(path: Path, form: type) -> dict[str, Any]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"{path}: damaged, or not gzipped JSON ({error}).") from error
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}; {_version()}") from None
    return value


def _read_arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged, or not numpy's .npz ({error}).") from error


def _check(fits: bool, path: Path, message: str) -> None:
    if not fits:
        raise InputError(f"{path}: {message}; {_version()}")


def _check_tokens(recording: Recording, folder: Path) -> None:
    path = folder / "tokens.json.gz"
    documents, mentions = recording.inputs["documents"], recording.inputs["mentions"]
    for name, found, expected in (
        ("contexts", len(recording.tokens["contexts"]), len(mentions)),
        ("views_per_entity", len(recording.tokens["views_per_entity"]), len(documents)),
    ):
        _check(found == expected, path, f"{name} has {found} items, expected {expected}")
    for mention in mentions:
        line = mention["label_id"]
        _check(line < len(documents), folder / "inputs.json.gz", f"label_id {line}: no such entity")
    _check(
        recording.layers >= max(MERGING.values()),
        path,
        f"entities.0.merged has {recording.layers} layers, expected {max(MERGING.values())}",
    )
    for number, entity in enumerate(recording.entities):
        _check(
            entity["line"] < len(documents),
            path,
            f"entities.{number}.line: {entity['line']}, but there are {len(documents)} documents",
        )
        for name in ("merged", "n_total"):
            _check(
                len(entity[name]) == recording.layers,
                path,
                f"entities.{number}.{name} has {len(entity[name])} layers, others "
                f"{recording.layers}",
            )


def _check_arrays(recording: Recording, path: Path) -> None:
    arrays = recording.arrays
    names = ["context", "views", "view_offset"]
    names += [f"{kind}_{name}" for name in MERGING for kind in ("scores", "view_entity")]
    for name in names:
        _check(name in arrays, path, f"array {name!r} is missing")
        kind = "iu" if name.startswith("view_") else "f"
        _check(arrays[name].dtype.kind in kind, path, f"{name} is of type {arrays[name].dtype}")
        finite = bool(np.isfinite(arrays[name]).all())
        _check(finite, path, f"{name} holds values that are no numbers")
    mentions = len(recording.inputs["mentions"])
    pools = [len(e["views"]) + sum(map(len, e["merged"])) for e in recording.entities]
    width = arrays["context"].shape[-1] if arrays["context"].ndim else 0
    shapes: dict[str, tuple[int, ...]] = {
        "context": (mentions, width),
        "views": (sum(pools), width),
        "view_offset": (len(pools),),
    }
    for name in MERGING:
        owners = arrays[f"view_entity_{name}"]
        shapes[f"scores_{name}"] = (mentions, owners.size)
        shapes[f"view_entity_{name}"] = (owners.size,)
    for name, shape in shapes.items():
        found = arrays[name].shape
        _check(found == shape, path, f"{name} has the shape {found}, expected {shape}")
    starts = np.cumsum([0, *pools[:-1]])
    _check(
        np.array_equal(arrays["view_offset"], starts), path, "view_offset does not fit the entities"
    )
    lines = np.arange(len(recording.inputs["documents"]))
    for name in MERGING:
        owners = arrays[f"view_entity_{name}"]
        fits = np.array_equal(np.unique(owners), lines) and bool((np.diff(owners) >= 0).all())
        _check(fits, path, f"view_entity_{name} does not name every entity in its order")


def _check_ranks(recording: Recording, folder: Path) -> None:
    path = folder / "ranks.json.gz"
    mentions, titles = len(recording.inputs["mentions"]), recording.titles
    for name, lines in recording.ranks["ranks"].items():
        lengths = sorted({len(line) for line in lines})
        _check(len(lines) == mentions, path, f"ranks {name}: {len(lines)} lists for {mentions}")
        _check(len(lengths) == 1, path, f"ranks {name}: lists of {lengths} entities")
        for line in lines:
            _check(max(line) < len(titles), path, f"ranks {name}: no entity {max(line)}")
            named = len({titles[entity] for entity in line})
            _check(named == len(line), path, f"ranks {name}: a title twice in one list")
    training = recording.ranks["training"]
    batch = training["mentions"]
    _check(max(batch) < mentions, path, f"training.mentions: no mention {max(batch)}")
    for name in ("gold", "real_views"):
        count = len(training[name])
        _check(count == len(batch), path, f"training.{name} has {count} items, not {len(batch)}")
    gold = [recording.inputs["mentions"][mention]["label_id"] for mention in batch]
    _check(training["gold"] == gold, path, "training.gold is not the label_id of its mentions")
    for name in ("score_max", "argmax_view"):
        shape = [len(line) for line in training["legacy_mask"][name]]
        _check(
            shape == [len(batch)] * len(batch), path, f"training.legacy_mask.{name} is not square"
        )
