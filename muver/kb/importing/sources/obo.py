"""OBO ontologies, as of biology and medicine."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.opening import lines_of, opened
from muver.kb.importing.settings import Given
from muver.kb.importing.sources import broader, library


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read the terms of a file, in its order, all held in memory; imports are not read."""
    pronto = library("pronto")
    lines = _lines(path)
    with opened(path) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what it doesn't keep
        try:
            ontology = pronto.Ontology(stream, import_depth=0)
        except (SyntaxError, ValueError) as error:
            raise InputError(f"{path}: not valid OBO ({error}).") from None
        terms = {term.id: term for term in ontology.terms()}
    default = ontology.metadata.default_namespace
    for identity, number in lines.items():
        place, term = f"line {number}", terms.get(identity)
        if term is None or term.obsolete:
            yield LeftOut("obsolete terms", place)
            continue
        if not term.name:
            yield LeftOut("terms without a name", place)
            continue
        texts = [
            str(term.definition or ""),
            term.comment or "",
            broader(term, _above, lambda one: one.name or one.id),
        ]
        further = {
            "xrefs": sorted(one.id for one in term.xrefs),
            "alternate_ids": sorted(term.alternate_ids),
        }
        yield Entity(
            id=identity,
            title=term.name,
            description="\n".join(filter(None, texts)),
            place=place,
            world=given.world or term.namespace or default or given.world_of(path),
            aliases=sorted(synonym.description for synonym in term.synonyms),
            further={name: "\n".join(values) for name, values in further.items() if values},
        )


def _lines(path: Path) -> dict[str, int]:
    """The line of each term (the last, if it is there twice), as pronto does not tell lines."""
    lines: dict[str, int] = {}
    stanza = b""
    with opened(path) as stream:
        for number, line in enumerate(lines_of(stream, path), start=1):
            if line.startswith(b"["):
                stanza = line.strip()
            elif stanza == b"[Term]" and line.startswith(b"id:"):
                identity = line[3:].decode(errors="replace").partition("!")[0].strip()
                if first := lines.get(identity):
                    raise InputError(
                        f"{path}, line {number}: id {identity!r} is already that of line {first}."
                    )
                lines[identity] = number
    return lines


def _above(term: Any) -> list[Any]:
    return sorted(term.superclasses(distance=1, with_self=False), key=lambda one: one.id)
