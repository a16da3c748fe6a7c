"""The forms of a knowledge base, a module for each: ``entities(path, given)`` reads one.

It yields `muver.kb.importing.items`, one after another. What a module needs beyond Python's library
is imported when it is called: these packages are the extra ``kb``.
"""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.kb.importing.items import Item
from muver.kb.importing.opening import opened
from muver.kb.importing.settings import Given

Source = Callable[[Path, Given], Iterator[Item]]
FORMATS = {  # by name: the endings that tell it, before that of a compression
    "json-lines": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv", ".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "mediawiki": (".xml",),
    "rdf": (".ttl", ".rdf", ".nt", ".n3", ".owl", ".jsonld", ".nq", ".trig"),
    "obo": (".obo",),
    "wikidata": (),  # .json, and an array
    "linked": (),  # JSON lines whose descriptions have links
    "kilt": (),  # KILT's knowledge source
    "blink": (),  # BLINK's entity.jsonl
    "zeshel": (),  # a file of documents/
}
COMPRESSIONS = (".gz", ".bz2", ".xz", ".7z")


def format_of(path: Path, named: str | None = None) -> str:
    """The format of a file: the one named, or by the ending."""
    if named is not None:
        if named not in FORMATS:
            raise InputError(
                f"--format {named}: no such format.{did_you_mean(named, FORMATS)} "
                f"There are: {', '.join(FORMATS)}."
            )
        return named
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in COMPRESSIONS:
        endings.pop()
    for name, own in FORMATS.items():
        if endings and endings[-1] in own:
            if name == "json-lines":
                with opened(path) as stream:
                    return "wikidata" if stream.read(1) == b"[" else name
            return name
    raise InputError(
        f"{path}: its ending tells no format. Name it with --format: {', '.join(FORMATS)}."
    )


def source(name: str) -> Source:
    """The function that reads a format."""
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return module.entities


def library(name: str) -> Any:
    """A package of the extra, imported now."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise InputError(
            f"This format is read with {name}, which is not installed. "
            "Install it with: pip install 'muver[kb]'"
        ) from None
