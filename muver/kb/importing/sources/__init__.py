"""The forms of a knowledge base: for each a function, called with a path and `Options`.

It yields `muver.kb.importing.schema`, one after another. Its module is imported when it is needed:
some libraries take a while to load.
"""

import importlib
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from pathlib import Path

from muver.io.errors import InputError
from muver.kb.importing.importing_settings import Options
from muver.kb.importing.piped import Piped
from muver.kb.importing.schema import Item
from muver.retriever.corpus.opening import opened, plain

# The function that reads a form, as ``module:function`` here, and the endings that tell it.
FORMATS = {
    "json-lines": ("tables:json_lines", ".jsonl .ndjson .json"),
    "csv": ("tables:comma_separated", ".csv .tsv .tab"),
    "parquet": ("tables:parquet", ".parquet .pq"),
    "mediawiki": ("mediawiki:entities", ".xml"),
    "rdf": ("ontologies:rdf", ".ttl .rdf .nt .n3 .owl .nq .trig .jsonld"),
    "obo": ("ontologies:obo", ".obo"),
    "wikidata": ("wikidata:entities", ""),  # also a .json that begins as an array
    "linked": ("fixed_keys:linked", ""),
    "kilt": ("fixed_keys:kilt", ""),
    "blink": ("fixed_keys:blink", ""),
    "zeshel": ("fixed_keys:zeshel", ""),
}


HEAD = 4096  # bytes
# How each form that a pipe is told by begins, as a pipe often has no ending.
SIGNS = {
    "json-lines": re.compile(rb"\{"),
    "wikidata": re.compile(rb"\["),
    "parquet": re.compile(rb"PAR1"),
    "mediawiki": re.compile(rb"<mediawiki"),
    "obo": re.compile(rb"format-version:"),
    "csv": re.compile(rb"[^\r\n<>\t,;|]*+[\t,;|]"),
}


def format_of(path: Path) -> str:
    """The format that a file's ending tells, without that of a compression."""
    ending = plain(path).suffix.lower()
    name = next((name for name, (_, endings) in FORMATS.items() if ending in endings.split()), None)
    if name is None and isinstance(path, Piped):
        with opened(path) as stream:
            start = stream.read(HEAD).removeprefix(BOM_UTF8).lstrip()
        name = next((name for name, sign in SIGNS.items() if sign.match(start)), None)
    if name is None:
        raise InputError(
            f"{path}: its ending tells no format. Name it with --format: {', '.join(FORMATS)}."
        )
    if name == "json-lines":
        with opened(path) as stream:
            return "wikidata" if stream.read(1) == b"[" else name
    return name


def source(name: str) -> Callable[[Path, Options], Iterator[Item]]:
    module, _, function = FORMATS[name][0].partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), function)
