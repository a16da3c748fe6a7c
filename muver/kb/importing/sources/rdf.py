"""RDF: concepts of SKOS, and whatever else has a label."""

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.opening import COMPRESSIONS, opened
from muver.kb.importing.settings import Given
from muver.kb.importing.sources import broader, library

LONGEST_SHOWN = 100  # characters of an address
QUADS = ("nquads", "trig", "json-ld")  # forms of several graphs, which are read as one


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read a file, in order of the identifiers. The graph is held in memory.

    The title is the preferred label in the language of the settings (else one without a language,
    else any), aliases are the other labels in it or without one. The description is made of
    definitions, notes and what is broader.
    """
    rdflib = library("rdflib")
    concepts = _Concepts(_parsed(path, rdflib), given.settings.language, rdflib)
    for concept in concepts.all():
        title, *others = concepts.labels(concept)
        if not title:
            yield LeftOut("concepts without a label", f"{concept}")
            continue
        above = broader(concept, concepts.above, lambda one: concepts.labels(one)[0])
        yield Entity(
            id=str(concept),
            title=title,
            description="\n".join(filter(None, [*concepts.notes(concept), above])),
            place=f"{concept}",
            world=given.world or concepts.scheme(concept) or given.world_of(path),
            aliases=others,
            further=concepts.further(concept),
        )


def _parsed(path: Path, rdflib: Any) -> Any:
    name = path.name
    for ending in COMPRESSIONS:
        name = name.removesuffix(ending)
    form = rdflib.util.guess_format(name)
    if form is None:
        raise InputError(
            f"{path}: its ending tells no form of RDF. Call it .ttl, .rdf, .nt, .n3, .jsonld, .nq "
            "or .trig."
        )
    graph = rdflib.Graph() if form not in QUADS else rdflib.Dataset()
    if form == "json-ld":
        _check_contexts(path)
    with opened(path) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rdflib's, about itself
        try:
            graph.parse(file=stream, format=form)
        except (OSError, EOFError, InputError):
            raise  # the archive's
        except Exception as error:  # each of rdflib's parsers has exceptions of its own
            said = str(error).strip() or type(error).__name__
            raise InputError(f"{path}: not valid RDF ({form}): {said}") from None
        if form not in QUADS:
            return graph
        whole = rdflib.Graph()
        for *triple, _ in graph.quads():
            whole.add(triple)
    return whole


def _check_contexts(path: Path) -> None:
    """Refuse JSON-LD whose contexts lie elsewhere: rdflib would fetch them, from disk as well."""
    with opened(path) as stream:
        try:
            left = [json.load(stream)]
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: not valid RDF (json-ld): {error}") from None
    while left:
        one = left.pop()
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        contexts = one.get("@context") if isinstance(one, dict) else None
        found = [*contexts] if isinstance(contexts, list) else [contexts]
        found += [one.get("@import")] if isinstance(one, dict) else []
        if elsewhere := next((where for where in found if isinstance(where, str)), None):
            raise InputError(
                f"{path}: its @context is elsewhere, at {elsewhere[:LONGEST_SHOWN]!r}, and is not "
                "fetched. Write what is there in the place of the address."
            )


def _last(address: str) -> str:
    """The last part of an address, as names of worlds have no slashes."""
    return re.split("[/#]", address.rstrip("/#"))[-1]


class _Concepts:
    """A graph, asked for what an entity needs, in one language."""

    def __init__(self, graph: Any, language: str, rdflib: Any):
        self.graph, self.language, self.rdflib = graph, language.lower(), rdflib
        skos, rdfs = rdflib.SKOS, rdflib.RDFS
        more = rdflib.Namespace("http://www.w3.org/2008/05/skos-xl#")
        self.form = more.literalForm
        self.preferred = [skos.prefLabel, more.prefLabel, rdfs.label]
        self.names = [*self.preferred, skos.altLabel, more.altLabel, skos.hiddenLabel]
        self.texts = [skos.definition, rdflib.DCTERMS.description, rdfs.comment, skos.scopeNote]

    def all(self) -> list[Any]:
        """Concepts and everything with a label, but for blank nodes and schemes; sorted."""
        graph, kind, skos = self.graph, self.rdflib.RDF.type, self.rdflib.SKOS
        found = set(graph.subjects(kind, skos.Concept))
        found.update(one for label in self.preferred for one in graph.subjects(label, None))
        found -= set(graph.objects(None, skos.inScheme))
        found -= set(graph.subjects(kind, skos.ConceptScheme))
        return sorted(one for one in found if isinstance(one, self.rdflib.URIRef))

    def labels(self, concept: Any) -> list[str]:
        """The title, or an empty one, and further names."""
        titles = (self._literals(concept, predicate) for predicate in self.preferred)
        title = next((f"{found[0]}" for found in titles if found), "")
        others = (one for name in self.names for one in self._literals(concept, name))
        return [title, *(f"{one}" for one in others if title and self._rank(one) < 2)]

    def notes(self, concept: Any) -> list[str]:
        """Definitions and notes in the language; where none has it, the best there are."""
        texts = []
        for predicate in self.texts:
            found = self._literals(concept, predicate)  # the best ones first
            texts += [str(one) for one in found if self._rank(one) == self._rank(found[0])]
        return list(dict.fromkeys(texts))

    def scheme(self, concept: Any) -> str | None:
        """Name of the scheme that it is in, the first if there are several."""
        schemes = sorted(self.graph.objects(concept, self.rdflib.SKOS.inScheme))
        return next((self.labels(one)[0] or _last(f"{one}") for one in schemes), None)

    def further(self, concept: Any) -> dict[str, str]:
        """Notations and matches in other vocabularies, a line each."""
        found = {
            name: "\n".join(sorted(map(str, self.graph.objects(concept, self.rdflib.SKOS[name]))))
            for name in ("notation", "exactMatch", "closeMatch")
        }
        return {name: text for name, text in found.items() if text}

    def above(self, concept: Any) -> list[Any]:
        """What is broader."""
        skos = self.rdflib.SKOS
        found = set(self.graph.subjects(skos.narrower, concept))
        for up in (skos.broader, self.rdflib.RDFS.subClassOf):
            found.update(self.graph.objects(concept, up))
        return sorted(one for one in found if isinstance(one, self.rdflib.URIRef))

    def _literals(self, concept: Any, predicate: Any) -> list[Any]:
        """Texts, those in the language first; labels that are nodes of their own are followed."""
        found: list[Any] = []
        for one in self.graph.objects(concept, predicate):
            literal = isinstance(one, self.rdflib.Literal)
            found += [one] if literal else self.graph.objects(one, self.form)
        return sorted(found, key=lambda one: (self._rank(one), one.language or "", str(one)))

    def _rank(self, text: Any) -> int:
        """0 in the language, 1 without one, 2 in another."""
        if text.language is None:
            return 1
        own = text.language.lower()
        return 0 if own == self.language or own.startswith(f"{self.language}-") else 2
