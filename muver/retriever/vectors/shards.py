"""Shards: the views of a knowledge base on disk, in parts, read one block at a time.

For each part a folder holds ``part-00000.npy`` ((views, d) float16 or float32, an entity's views
adjacent), ``part-00000.counts.npy`` ((entities,) uint8, the number of views of each entity) and
``part-00000.json``, its manifest. Entities and views are numbered across all parts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.files import read_json, short_hash, write_manifest
from muver.io.matrices import load_matrix, save_matrix
from muver.retriever.vectors.block import ViewBlock

DTYPES = ("float16", "float32")
MOST_VIEWS = 255  # per entity, as counts are uint8
AGAIN = "Encode the part again."


@dataclass(frozen=True)
class Part:
    """One part; ``first_view`` and ``first_entity`` are numbers across all parts."""

    path: Path
    first_view: int
    first_entity: int
    views: int
    entities: int

    def matrix(self) -> np.ndarray:
        """(views, d), memory-mapped while the array is in use."""
        return load_matrix(self.path, AGAIN)

    def starts(self) -> np.ndarray:
        """(entities + 1,) int64: first view of each entity within the part, then the end."""
        counts = load_matrix(self.path.with_suffix(".counts.npy"), AGAIN)
        return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


class Shards:
    """The views of all parts in a folder, made by the model with the fingerprint ``model``."""

    def __init__(self, folder: str | Path, kb: Mapping[str, Any] | None = None):
        """Open a folder and check that its parts fit each other.

        ``kb`` is the manifest of the knowledge base, which tells how many parts to expect. Without
        it, missing parts at the end go unnoticed.
        """
        self.folder = Path(folder)
        names = sorted(path.name.partition(".")[0] for path in self.folder.glob("part-*.json"))
        expected = len(names) if kb is None else len(kb["parts"])
        if not names:
            raise InputError(f"{self.folder}: holds no part-00000.json. Encode the views first.")
        self._manifests: list[dict[str, Any]] = []
        self.parts: list[Part] = []
        views = entities = 0
        for number in range(max(expected, len(names))):
            path = self.folder / part_name(number)
            if number >= expected:
                raise InputError(
                    f"{path}: part {number}, but the knowledge base has {expected} parts. Delete "
                    "the parts of the former knowledge base."
                )
            manifest = read_part_manifest(path)
            if number:
                self._check_same(path, manifest)
            if kb is not None:
                _check_kb(path, manifest, kb["parts"][number])
            part = Part(path, views, entities, manifest["views"], manifest["entities"])
            self._manifests.append(manifest)
            self.parts.append(part)
            views, entities = views + part.views, entities + part.entities
        self.views, self.entities = views, entities
        self.model: str = self._manifests[0]["inputs"]["model"]
        self.dimension: int = self._manifests[0]["dimension"]
        self._first_views = np.array([part.first_view for part in self.parts])
        self._first_entities = np.array([part.first_entity for part in self.parts])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all parts' manifests: model, knowledge base and sizes."""
        return short_hash(self._manifests, 64)

    def blocks(self, memory_mb: int = 256) -> Iterator[ViewBlock]:
        """All views in order, in blocks of at most about ``memory_mb`` MiB of float32 vectors.

        A block never splits an entity's views.
        """
        rows = max(memory_mb * 2**20 // (4 * self.dimension), MOST_VIEWS)
        for part in self.parts:
            starts = part.starts()
            entity = 0
            while entity < part.entities:
                end = int(np.searchsorted(starts, starts[entity] + rows, side="right")) - 1
                first, last = int(starts[entity]), int(starts[end])
                # Map this block only, so that pages already read do not fill the memory.
                vectors = part.matrix()[first:last].astype(np.float32)
                counts = np.diff(starts[entity : end + 1])
                yield ViewBlock(
                    vectors,
                    np.arange(part.first_view + first, part.first_view + last),
                    starts[entity:end] - first,
                    np.repeat(np.arange(entity, end) + part.first_entity, counts),
                )
                entity = end

    def gather(self, views: np.ndarray) -> np.ndarray:
        """Vectors of the views with these numbers: (n, d) float32; increasing ones read fastest."""
        vectors = np.empty((len(views), self.dimension), dtype=np.float32)
        for part, chosen in self._by_part(views):
            vectors[chosen] = part.matrix()[views[chosen] - part.first_view]
        return vectors

    def locate(self, views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The entity of each view and the view's index within it: (n,) int64 both."""
        entities = np.empty(len(views), dtype=np.int64)
        places = np.empty(len(views), dtype=np.int64)
        for part, chosen in self._by_part(views):
            starts = part.starts()
            inside = views[chosen] - part.first_view
            own = np.searchsorted(starts, inside, side="right") - 1
            entities[chosen] = own + part.first_entity
            places[chosen] = inside - starts[own]
        return entities, places

    def spans(self, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first view of each entity, and its number of views: (n,) int64 both."""
        firsts, counts = np.empty((2, len(entities)), dtype=np.int64)
        owners = np.searchsorted(self._first_entities, entities, side="right") - 1
        for number in np.unique(owners):
            part, chosen = self.parts[number], np.flatnonzero(owners == number)
            starts, own = part.starts(), entities[chosen] - part.first_entity
            firsts[chosen] = part.first_view + starts[own]
            counts[chosen] = starts[own + 1] - starts[own]
        return firsts, counts

    def sample(self, size: int, seed: int) -> np.ndarray:
        """Sorted numbers of ``size`` views, one from each of ``size`` equal ranges.

        All views if there are no more than ``size``.
        """
        if size >= self.views:
            return np.arange(self.views)
        edges = np.arange(size + 1) * self.views // size
        return edges[:-1] + np.random.default_rng(seed).integers(0, np.diff(edges))

    def _by_part(self, views: np.ndarray) -> Iterator[tuple[Part, np.ndarray]]:
        if len(views) and not 0 <= views.min() <= views.max() < self.views:
            raise InputError(
                f"{self.folder}: has {self.views} views, asked for number {views.max()}."
            )
        owners = np.searchsorted(self._first_views, views, side="right") - 1
        for number in np.unique(owners):
            yield self.parts[number], np.flatnonzero(owners == number)

    def _check_same(self, path: Path, manifest: Mapping[str, Any]) -> None:
        first = self._manifests[0]
        pairs = {
            "model": (manifest["inputs"]["model"], first["inputs"]["model"]),
            "dimension": (manifest["dimension"], first["dimension"]),
            "dtype": (manifest["dtype"], first["dtype"]),
        }
        for what, (found, wanted) in pairs.items():
            if found != wanted:
                raise InputError(
                    f"{path}: its {what} is {found}, that of {part_name(0)} is {wanted}: the "
                    "parts belong to different runs. Encode the wrong parts again."
                )


def part_name(number: int) -> str:
    """File name of a part's vectors."""
    return f"part-{number:05d}.npy"


def write_part(
    folder: str | Path,
    number: int,
    vectors: np.ndarray,
    counts: np.ndarray,
    model: str,
    kb: str,
    settings: Mapping[str, Any] | None = None,
    texts: str | None = None,
) -> None:
    """Write a part, its manifest last, so that a part with a manifest is complete.

    Parameters
    ----------
    vectors : (views, d) float16 or float32
    counts : (entities,)
        Number of views of each entity, 1 to 255.
    model, kb, texts
        Fingerprints of the model, of the knowledge base's part, and of the texts that replace the
        part's paragraphs, if any.
    """
    path = Path(folder) / part_name(number)
    path.with_suffix(".json").unlink(missing_ok=True)
    save_matrix(path, vectors)
    save_matrix(path.with_suffix(".counts.npy"), counts.astype(np.uint8))
    write_manifest(
        path.with_suffix(".json"),
        "vectors",
        settings or {},
        {"model": model, "kb": kb, **({} if texts is None else {"texts": texts})},
        dtype=str(vectors.dtype),
        dimension=int(vectors.shape[1]),
        views=len(vectors),
        entities=len(counts),
    )


def read_part_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest of a part and check it against the part's arrays."""
    place = path.with_suffix(".json")
    if not place.is_file():
        raise InputError(f"{place}: no such file: a part is missing. Encode it.")
    manifest = read_json(place)
    try:
        stated = (manifest["views"], manifest["dimension"]), manifest["dtype"]
        entities = manifest["entities"]
        _ = manifest["inputs"]["model"], manifest["inputs"]["kb"]
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{place}: not the manifest of a part of vectors ({error} is missing). Encode the "
            "part again, with this version."
        ) from None
    matrix, counts = (load_matrix(one, AGAIN) for one in (path, path.with_suffix(".counts.npy")))
    if (matrix.shape, str(matrix.dtype)) != stated or stated[1] not in DTYPES:
        raise InputError(
            f"{path}: {matrix.shape} of {matrix.dtype}, its manifest says {stated[0]} of "
            f"{stated[1]} (one of {', '.join(DTYPES)} is expected). Encode the part again."
        )
    total = int(counts.sum(dtype=np.int64))
    if counts.shape != (entities,) or total != len(matrix) or not np.all(counts):
        raise InputError(
            f"{path.with_suffix('.counts.npy')}: {len(counts)} entities with {total} views, "
            f"{path.name} has {len(matrix)} views of {entities} entities, each at least one. "
            "Encode the part again."
        )
    return manifest


def _check_kb(path: Path, manifest: Mapping[str, Any], part: Mapping[str, Any]) -> None:
    same = manifest["entities"] == part["entities"]
    if not same or manifest["inputs"]["kb"] != part["fingerprint"]:
        raise InputError(
            f"{path}: {manifest['entities']} entities of another part of a knowledge base, "
            f"expected {part['file']} with {part['entities']}. Encode the part again."
        )
