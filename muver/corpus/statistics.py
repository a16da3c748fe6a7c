"""What a corpus holds, in numbers, and whether they are the published ones."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from muver.corpus.sources import Published, all_sources, find_source
from muver.corpus.splits import SPLITS
from muver.io.errors import InputError
from muver.io.files import sha256_of


def fingerprint(raw: Path, files: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that name the dataset: its files' names and contents."""
    whole = hashlib.sha256()
    for name, path in sorted((path.relative_to(raw).as_posix(), path) for path in files):
        whole.update(f"{name}\0{sha256_of(path)}\n".encode())
    return whole.hexdigest()[:16]


def count(
    dataset: str, fingerprint: str, worlds: dict[str, dict[str, Any]], expected: str | None = None
) -> dict[str, Any]:
    """The counts file.

    Parameters
    ----------
    dataset, fingerprint
        The dataset's name and hash.
    worlds
        For every world its ``split`` and the numbers ``entities``, ``mentions``, ``without_text``.
    expected
        A declared source whose published counts these must be, or None.

    Returns
    -------
    ``dataset`` and ``fingerprint``; ``identified_as`` (:func:`identify`); ``worlds`` as given;
    ``mentions`` and ``entities`` by split.

    Raises
    ------
    InputError
        If a count is not the published one; the message lists every such number.
    """
    counts = {
        "dataset": dataset,
        "fingerprint": fingerprint,
        "identified_as": None,
        "worlds": worlds,
        **{
            what: {
                split: sum(one[what] for one in worlds.values() if one["split"] == split)
                for split in SPLITS
            }
            for what in ("mentions", "entities")
        },
    }
    counts["identified_as"] = identify(counts)
    published = find_source(expected).published if expected else None
    if published and (differences := _differences(counts, published)):
        raise InputError(
            f"{dataset}: the counts are not the published ones: {'; '.join(differences)}. "
            "The download is incomplete or of another version: fetch it again."
        )
    return counts


def identify(counts: Mapping[str, Any]) -> str | None:
    """The declared dataset whose published counts these are, or None.

    A dataset's name and place don't say what it is: a folder of one's own may be called zeshel,
    and ZESHEL may be given as a folder.

    Parameters
    ----------
    counts
        ``worlds``, each with its ``split`` and number of ``entities``; ``entities`` and
        ``mentions`` by split or part.
    """
    for name, source in all_sources().items():
        if source.published and not _differences(counts, source.published):
            return name
    return None


def _differences(counts: Mapping[str, Any], published: Published) -> list[str]:
    differences = []
    for world, expected in published.worlds.items():
        found = counts["worlds"].get(world)
        if found is None:
            differences.append(f"world {world} is missing")
            continue
        for what in ("split", "entities"):
            if found[what] != (wanted := getattr(expected, what)):
                differences.append(f"{world} {what} {found[what]} (published {wanted})")
    for world in counts["worlds"].keys() - published.worlds.keys():
        differences.append(f"world {world} is not a published one")
    for what in ("mentions", "entities"):
        for split, number in getattr(published, what).items():
            if (found := counts[what].get(split)) != number:
                differences.append(f"{split} {what} {found} (published {number})")
    return differences
