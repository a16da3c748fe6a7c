"""The forms of a knowledge base: for each a function, called with a path and what is `Given`.

It yields `muver.kb.importing.items`, one after another. Its module is imported when it is needed:
some libraries take a while to load.
"""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

from muver.io.errors import InputError
from muver.kb.importing.items import Item
from muver.kb.importing.opening import opened, plain
from muver.kb.importing.settings import Given

# The function that reads a form, as ``module:function`` here, and the endings that tell it.
FORMATS = {
    "json-lines": ("tables:json_lines", ".jsonl .ndjson .json"),
    "csv": ("tables:comma_separated", ".csv .tsv .tab"),
    "parquet": ("tables:parquet", ".parquet .pq"),
    "mediawiki": ("mediawiki:entities", ".xml"),
    "rdf": ("ontologies:rdf", ".ttl .rdf .nt .n3 .owl .jsonld .nq .trig"),
    "obo": ("ontologies:obo", ".obo"),
    "wikidata": ("wikidata:entities", ""),  # also a .json that begins as an array
    "linked": ("fixed_keys:linked", ""),
    "kilt": ("fixed_keys:kilt", ""),
    "blink": ("fixed_keys:blink", ""),
    "zeshel": ("fixed_keys:zeshel", ""),
}


def format_of(path: Path) -> str:
    """The format that a file's ending tells, without that of a compression."""
    ending = plain(path).suffix.lower()
    name = next((name for name, (_, own) in FORMATS.items() if ending in own.split()), None)
    if name is None:
        raise InputError(
            f"{path}: its ending tells no format. Name it with --format: {', '.join(FORMATS)}."
        )
    if name == "json-lines":
        with opened(path) as stream:
            return "wikidata" if stream.read(1) == b"[" else name
    return name


def source(name: str) -> Callable[[Path, Given], Iterator[Item]]:
    module, _, function = FORMATS[name][0].partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), function)
