"""Counts of a corpus, compared with the published ones."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import asdict

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.io.records import Record, read_record
from muver.retriever.corpus.sources import Published, all_sources, find_source
from muver.retriever.corpus.splits import SPLITS


class WorldCounts(Record):
    """Counts of a world; ``without_text`` is the number of entities without a description."""

    split: str
    entities: int
    mentions: int
    without_text: int = 0


class Sizes(Record):
    """Counts of each world, and mentions and entities by split or part."""

    worlds: dict[str, WorldCounts] = {}
    mentions: dict[str, int] = {}
    entities: dict[str, int] = {}


class Counts(Record):
    """What ``counts.json`` holds; ``identified_as`` is the result of :func:`identify`."""

    dataset: str
    fingerprint: str
    identified_as: str | None
    worlds: dict[str, WorldCounts]
    mentions: dict[str, int]
    entities: dict[str, int]


def read_counts(path: Path, dataset: str | None = None) -> Counts:
    """Read the counts of the corpus stage; they must be those of ``dataset`` if it is named."""
    counts = read_record(path, Counts, "the counts of a corpus", "Run the corpus stage again.")
    if dataset not in (None, counts.dataset):
        raise InputError(f"{path}: counts of {counts.dataset!r}, expected {dataset!r}.")
    return counts


def fingerprint(raw: Path, files: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that name a dataset: a hash of its files' names and contents."""
    whole = hashlib.sha256()
    for name, path in sorted((path.relative_to(raw).as_posix(), path) for path in files):
        whole.update(f"{name}\0{sha256_of(path)}\n".encode())
    return whole.hexdigest()[:16]


def count(
    dataset: str, fingerprint: str, worlds: dict[str, WorldCounts], expected: str | None = None
) -> Counts:
    """Count a dataset; if ``expected`` names a source, its published counts must be met."""
    sizes = Sizes(worlds, _by_split(worlds, "mentions"), _by_split(worlds, "entities"))
    published = find_source(expected).published if expected else None
    if published and (differences := _differences(sizes, published)):
        raise InputError(
            f"{dataset}: the counts are not the published ones: {'; '.join(differences)}. "
            "The download is incomplete or of another version: fetch it again."
        )
    return Counts(
        dataset=dataset, fingerprint=fingerprint, identified_as=identify(sizes), **asdict(sizes)
    )


def _by_split(worlds: Mapping[str, WorldCounts], what: str) -> dict[str, int]:
    return {
        split: sum(getattr(one, what) for one in worlds.values() if one.split == split)
        for split in SPLITS
    }


def identify(sizes: Sizes) -> str | None:
    """The declared dataset whose published counts these are, or None.

    A name or a place says little: anybody's folder may be called zeshel, and ZESHEL may be given as
    a folder.
    """
    for name, source in all_sources().items():
        if source.published and not _differences(sizes, source.published):
            return name
    return None


def _differences(sizes: Sizes, published: Published) -> list[str]:
    differences = []
    for world, expected in published.worlds.items():
        found = sizes.worlds.get(world)
        if found is None:
            differences.append(f"world {world} is missing")
            continue
        for what in ("split", "entities"):
            ours, wanted = getattr(found, what), getattr(expected, what)
            if ours != wanted:
                differences.append(f"{world} {what} {ours} (published {wanted})")
    for world in sizes.worlds.keys() - published.worlds.keys():
        differences.append(f"world {world} is not a published one")
    for what in ("mentions", "entities"):
        for split, number in getattr(published, what).items():
            if (ours := getattr(sizes, what).get(split)) != number:
                differences.append(f"{split} {what} {ours} (published {number})")
    return differences
