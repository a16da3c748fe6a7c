"""OBO ontologies, as of biology and medicine."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pronto

from muver.io.errors import InputError
from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.opening import lines_of, opened
from muver.kb.importing.settings import Given
from muver.kb.importing.sources import broader


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read the terms of a file, in its order, all held in memory; imports are not read."""
    lines = list(_lines(path))  # before pronto, which holds a whole line
    with opened(path) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what it doesn't keep
        try:
            ontology = pronto.Ontology(stream, import_depth=0)
        except (SyntaxError, ValueError) as error:
            raise InputError(f"{path}: not valid OBO ({error}).") from None
        terms = {term.id: term for term in ontology.terms()}
    for identity, number in lines:
        place, term = f"line {number}", terms.get(identity)
        if term is None or term.obsolete:
            yield LeftOut("obsolete terms", place)
            continue
        if not term.name:
            yield LeftOut("terms without a name", place)
            continue
        above = broader(term, _above, lambda one: one.name or one.id)
        texts = [str(term.definition or ""), term.comment or "", above]
        yield Entity(
            id=identity,
            title=term.name,
            description="\n".join(filter(None, texts)),
            place=place,
            world=given.world or term.namespace or ontology.metadata.default_namespace or "",
            aliases=sorted(synonym.description for synonym in term.synonyms),
            further={
                "xrefs": "\n".join(sorted(one.id for one in term.xrefs)),
                "alternate_ids": "\n".join(sorted(term.alternate_ids)),
            },
        )


def _lines(path: Path) -> Iterator[tuple[str, int]]:
    """Each term with its line, which pronto does not tell."""
    stanza = b""
    with opened(path) as stream:
        for number, line in enumerate(lines_of(stream, path), start=1):
            if line.startswith(b"["):
                stanza = line.strip()
            elif stanza == b"[Term]" and line.startswith(b"id:"):
                yield line[3:].decode(errors="replace").partition("!")[0].strip(), number


def _above(term: pronto.Term) -> list[pronto.Term]:
    return sorted(term.superclasses(distance=1, with_self=False), key=lambda one: one.id)
