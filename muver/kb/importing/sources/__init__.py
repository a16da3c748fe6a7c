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

NAMES = re.compile(rb"(?!\{)[^\r\n<>\t,;|]*+[\t,;|]")  # of columns, with a separator
# The function that reads a form, as ``module:function`` here, the endings that tell it, and how it
# begins where a pipe has no ending; of several forms that fit the last one counts.
FORMATS = {
    "json-lines": ("tables:json_lines", ".jsonl .ndjson .json", re.compile(rb"\{")),
    "csv": ("tables:comma_separated", ".csv .tsv .tab", NAMES),
    "parquet": ("tables:parquet", ".parquet .pq", re.compile(rb"PAR1")),
    "mediawiki": ("mediawiki:entities", ".xml", re.compile(rb"<mediawiki")),
    "rdf": ("ontologies:rdf", ".ttl .rdf .nt .n3 .owl .nq .trig .jsonld"),
    "obo": ("ontologies:obo", ".obo", re.compile(rb"format-version:")),
    "wikidata": ("wikidata:entities", "", re.compile(rb"\[")),  # a .json that begins so too
    "linked": ("fixed_keys:linked", ""),
    "kilt": ("fixed_keys:kilt", ""),
    "blink": ("fixed_keys:blink", ""),
    "zeshel": ("fixed_keys:zeshel", ""),
}
HEAD = 4096  # bytes of a pipe


def format_of(path: Path) -> str:
    """The format that a file's ending tells, without that of a compression."""
    ending = plain(path).suffix.lower()
    name = next((name for name, form in FORMATS.items() if ending in form[1].split()), None)
    if name is None and isinstance(path, Piped):
        with opened(path) as stream:
            start = stream.read(HEAD).removeprefix(BOM_UTF8).lstrip()
        signs = {name: sign for name, (_, _, *sign) in FORMATS.items() if sign}
        fitting = [name for name, (sign,) in signs.items() if sign.match(start)]
        name = fitting[-1] if fitting else None
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
