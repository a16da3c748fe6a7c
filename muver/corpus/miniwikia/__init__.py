"""The built-in data: small fictional wikis in ZESHEL's or KILT's shape, made from a seed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.corpus.miniwikia import kilt_writer
from muver.corpus.miniwikia.settings import check
from muver.corpus.miniwikia.writer import write


def generate(settings: Mapping[str, Any], folder: str | Path) -> None:
    """Write fictional wikis in ZESHEL's format (docs/miniwikia.md says how they are made).

    Parameters
    ----------
    settings
        ``seed`` (int), ``worlds`` ({"train": names, "val": names, "test": names}),
        ``entities_per_world`` (int, at least 12) and ``mentions`` ({"train": n, "val": n,
        "test": n}: totals, spread over the split's worlds).
    folder
        Gets ``documents/<world>.json`` and ``mentions/{train,val,test}.json``. Equal settings give
        equal bytes everywhere; a world's documents depend on the seed, its name and its size only.

    Raises
    ------
    InputError
        If a setting is missing, unknown or out of range (the message names its key), if more
        mentions are asked for than the pages have links, or if two worlds would share a name.
    """
    write(check(settings), Path(folder))


def generate_kilt(settings: Mapping[str, Any], folder: str | Path, workers: int = 1) -> None:
    """Write an encyclopedia in KILT's shape and benchmarks in BLINK's (docs/wikipedia.md).

    Parameters
    ----------
    settings
        ``seed`` (int), ``entities`` (pages in all), ``entities_per_world`` (pages that know of each
        other) and ``mentions`` (by the name of a set, such as msnbc).
    folder
        Gets ``kilt_knowledgesource.json``, ``<set>.jsonl`` and ``counts.json``; equal settings
        give equal bytes everywhere.
    workers
        Processes.

    Raises
    ------
    InputError
        If a setting is missing, unknown or out of range, or the pages have too few links.
    """
    kilt_writer.write_kilt(kilt_writer.check(settings), Path(folder), workers)
