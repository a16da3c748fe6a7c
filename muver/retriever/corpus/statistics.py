"""Counts of a corpus, compared with the published ones."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from muver.io.errors import InputError
from muver.io.files import sha256_of, sha256_of_all
from muver.io.typed import Record, read_record
from muver.retriever.corpus.sources import SPLITS, Sizes, WorldCounts, all_sources, find_source


class Counts(Record):
    """What ``counts.json`` holds; ``identified_as`` is the result of :func:`identify`."""

    dataset: str
    fingerprint: str
    identified_as: str | None
    worlds: dict[str, WorldCounts]
    mentions: dict[str, int]
    entities: dict[str, int]


def read_counts(path: Path) -> Counts:
    """Read the counts of the corpus stage."""
    return read_record(path, Counts, "the counts of a corpus", "Run the corpus stage again.")


def fingerprint(raw: Path, files: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that name a dataset: a hash of its files' names and contents."""
    return sha256_of_all({path.relative_to(raw).as_posix(): sha256_of(path) for path in files})[:16]


def count(
    dataset: str, fingerprint: str, worlds: dict[str, WorldCounts], expected: str | None = None
) -> Counts:
    """Count a dataset; if ``expected`` names a source, its published counts must be met."""
    mentions, entities = (
        {
            split: sum(getattr(world, what) for world in worlds.values() if world.split == split)
            for split in SPLITS
        }
        for what in ("mentions", "entities")
    )
    sizes = Sizes(worlds, mentions, entities)
    check_published(dataset, sizes, expected)
    return Counts(
        dataset=dataset, fingerprint=fingerprint, identified_as=identify(sizes), **asdict(sizes)
    )


def check_published(what: str | Path, sizes: Sizes, expected: str | None) -> None:
    """Refuse other counts than are published for the source ``expected``, if any.

    Only what was counted is compared: a knowledge base has no mentions, though its source may, and
    a file of a benchmark those of one set.
    """
    if expected is None:
        return
    published = find_source(expected).published
    if published is None:
        raise InputError(f"--settings: expected is {expected!r}, for which nothing is published.")
    wanted = Sizes(
        published.worlds if sizes.worlds else {},
        {name: published.mentions.get(name) for name in sizes.mentions},
        {name: published.entities.get(name) for name in sizes.entities},
    )
    if differences := _differences(sizes, wanted):
        raise InputError(
            f"{what}: the counts are not those published for {expected}: {'; '.join(differences)}. "
            "Is it complete, and the same release? Fetch it anew, or accept the counts with "
            "--settings '{\"expected\": null}' (params.yaml, Table 2: linking.published_counts)."
        )


def identify(sizes: Sizes) -> str | None:
    """The declared dataset whose published counts these are, or None.

    Its name and its place do not decide: any folder may be called zeshel, and ZESHEL may lie in a
    folder of another name.
    """
    for name, source in all_sources().items():
        if source.published and not _differences(sizes, source.published):
            return name
    return None


def _differences(sizes: Sizes, published: Sizes) -> list[str]:
    ours, wanted = _flat(sizes), _flat(published)
    wanted |= {key: None for key in _flat(Sizes(sizes.worlds)) if key not in wanted}
    return [
        f"{key} {ours.get(key)} (published {number})"
        for key, number in wanted.items()
        if ours.get(key) != number
    ]


def _flat(sizes: Sizes) -> dict[str, Any]:
    return {
        **{f"{name} split": world.split for name, world in sizes.worlds.items()},
        **{f"{name} entities": world.entities for name, world in sizes.worlds.items()},
        **{f"{split} mentions": number for split, number in sizes.mentions.items()},
        **{f"{split} entities": number for split, number in sizes.entities.items()},
    }
