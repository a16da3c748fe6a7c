"""What a corpus holds, in numbers, and whether they are the published ones."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muver.corpus.sources import Published
from muver.errors import InputError
from muver.files import sha256_of
from muver.splits import SPLITS


def fingerprint(raw: Path, files: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that name the dataset: its files' names and contents."""
    whole = hashlib.sha256()
    for name, path in sorted((path.relative_to(raw).as_posix(), path) for path in files):
        whole.update(f"{name}\0{sha256_of(path)}\n".encode())
    return whole.hexdigest()[:16]


def count(
    dataset: str,
    fingerprint: str,
    worlds: dict[str, dict[str, Any]],
    published: Published | None,
) -> dict[str, Any]:
    """The counts file.

    Parameters
    ----------
    dataset, fingerprint
        The dataset's name and hash.
    worlds
        For every world its ``split`` and the numbers ``entities``, ``mentions``, ``without_text``.
    published
        What they are compared with, if anything.

    Raises
    ------
    InputError
        If a count is not the published one; the message has every such number.
    """
    counts = {
        "dataset": dataset,
        "fingerprint": fingerprint,
        "worlds": worlds,
        "mentions": {split: _total(worlds, split, "mentions") for split in SPLITS},
        "entities": {split: _total(worlds, split, "entities") for split in SPLITS},
        "published": None if published is None else published.as_dict(),
    }
    differences = [] if published is None else _differences(counts, counts["published"])
    if differences:
        raise InputError(
            f"{dataset}: the counts are not the published ones: {'; '.join(differences)}. "
            "The download is incomplete or of another version: fetch it again."
        )
    return counts


def _total(worlds: dict[str, dict[str, Any]], split: str, what: str) -> int:
    return sum(world[what] for world in worlds.values() if world["split"] == split)


def _differences(counts: dict[str, Any], published: dict[str, Any]) -> list[str]:
    differences = []
    for world, expected in published["worlds"].items():
        found = counts["worlds"].get(world)
        if found is None:
            differences.append(f"world {world} is missing")
            continue
        for what in ("split", "entities"):
            if found[what] != expected[what]:
                differences.append(f"{world} {what} {found[what]} (published {expected[what]})")
    for world in counts["worlds"].keys() - published["worlds"].keys():
        differences.append(f"world {world} is not a published one")
    for what in ("mentions", "entities"):
        for split, number in published[what].items():
            if counts[what][split] != number:
                differences.append(f"{split} {what} {counts[what][split]} (published {number})")
    return differences
