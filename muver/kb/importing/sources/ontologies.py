"""Vocabularies and ontologies: concepts of SKOS and whatever else in RDF has a label, and OBO."""

import codecs
import io
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pronto
from rdflib import DCTERMS, RDF, RDFS, SKOS, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.term import Node
from rdflib.util import guess_format

from muver.io.errors import InputError
from muver.kb.importing.importing_settings import Options
from muver.kb.importing.schema import Entity, Item
from muver.retriever.corpus.opening import LeftOut, lines_of, opened, plain

HIGHEST = 10  # steps above a concept
FIRST_LINES = (b"format-version:", b"[Term]", b"[Typedef]")
# A synonym with its type.
TYPED = re.compile(rb'^(synonym: *"(?:\\.|[^"\\])*" *[A-Z]+) +[^\s\[]+ *\[')
logging.getLogger("rdflib.term").disabled = True  # it prints tracebacks of dates that are none
T = TypeVar("T")
QUADS = ("nquads", "trig")  # forms of several graphs, which are read as one
XL = Namespace("http://www.w3.org/2008/05/skos-xl#")
PREFERRED = [SKOS.prefLabel, XL.prefLabel, RDFS.label]
NAMES = [*PREFERRED, SKOS.altLabel, XL.altLabel, SKOS.hiddenLabel]
TEXTS = [SKOS.definition, DCTERMS.description, RDFS.comment, SKOS.scopeNote]


def broader(concept: T, above: Callable[[T], Iterable[T]], name: Callable[[T], str]) -> str:
    """A line for each concept right above, followed up by the first one above that.

    >>> tree = {"cat": ["carnivore", "pet"], "carnivore": ["mammal"]}
    >>> broader("cat", lambda animal: tree.get(animal, []), str)
    'Broader: carnivore > mammal.\\nBroader: pet.'
    """
    lines = []
    for up in above(concept):
        way: list[T] = []
        while up is not None and up != concept and up not in way and len(way) < HIGHEST:
            way.append(up)
            up = next(iter(above(up)), None)
        if line := " > ".join(filter(None, map(name, way))):
            lines.append(f"Broader: {line}.")
    return "\n".join(lines)


def rdf(path: Path, options: Options) -> Iterator[Item]:
    """Read a file, in order of the identifiers. The graph is held in memory.

    The title is the preferred label in the language of the settings (else one without a language,
    else any), aliases are the other labels in it or without one. The description is made of
    definitions, notes and what is broader.
    """
    concepts = _Concepts(_parsed(path), options.settings.language)
    for concept in concepts.all():
        title, *others = concepts.labels(concept)
        if not title:
            yield LeftOut("concepts without a label", f"{concept}")
            continue
        above = broader(concept, concepts.above, lambda it: concepts.labels(it)[0])
        yield Entity(
            id=str(concept),
            title=title,
            description="\n".join(filter(None, [*concepts.notes(concept), above])),
            place=f"{concept}",
            world=options.world or concepts.scheme(concept),
            aliases=others,
            further={
                name: "\n".join(sorted(map(str, concepts.graph.objects(concept, SKOS[name]))))
                for name in ("notation", "exactMatch", "closeMatch")
            },
        )


def _parsed(path: Path) -> Graph:
    form = guess_format(plain(path).name)
    if form in (None, "json-ld"):  # which may have parts elsewhere, for rdflib to fetch
        raise InputError(
            f"{path}: its ending tells no form of RDF that is read, such as .ttl, .rdf or .nt. Of "
            "JSON-LD `rdfpipe -i json-ld` makes Turtle."
        )
    graph = Dataset(default_union=True) if form in QUADS else Graph()
    with opened(path) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rdflib's, about itself
        try:
            graph.parse(file=stream, format=form)
        except (OSError, EOFError, InputError):
            raise  # the archive's
        except Exception as error:  # each of rdflib's parsers has exceptions of its own
            reason = str(error).strip() or type(error).__name__
            raise InputError(f"{path}: not valid RDF ({form}): {reason}") from None
    return graph


class _Concepts:
    """A graph, asked for what an entity needs, in one language."""

    def __init__(self, graph: Graph, language: str):
        self.graph, self.language = graph, language.lower()

    def all(self) -> list[Node]:
        """Concepts and everything with a label, but for blank nodes and schemes; sorted."""
        concepts = set(self.graph.subjects(RDF.type, SKOS.Concept))
        concepts.update(s for label in PREFERRED for s in self.graph.subjects(label, None))
        concepts -= set(self.graph.objects(None, SKOS.inScheme))
        concepts -= set(self.graph.subjects(RDF.type, SKOS.ConceptScheme))
        return sorted(node for node in concepts if isinstance(node, URIRef))

    def labels(self, concept: Node) -> list[str]:
        """The title, or an empty one, and further names."""
        titles = (self._literals(concept, predicate) for predicate in PREFERRED)
        title = next((f"{literals[0]}" for literals in titles if literals), "")
        others = (t for name in NAMES for t in self._literals(concept, name))
        return [title, *(f"{t}" for t in others if title and self._rank(t) < 2)]

    def notes(self, concept: Node) -> list[str]:
        """Definitions and notes in the language; where none has it, the best there are."""
        texts = []
        for predicate in TEXTS:
            literals = self._literals(concept, predicate)  # the best ones first
            texts += [str(t) for t in literals if self._rank(t) == self._rank(literals[0])]
        return list(dict.fromkeys(texts))

    def scheme(self, concept: Node) -> str:
        """Name of the first scheme that it is in; one without a label is called by its address."""
        schemes = sorted(self.graph.objects(concept, SKOS.inScheme))
        names = (self.labels(uri)[0] or re.split("[/#]", uri.rstrip("/#"))[-1] for uri in schemes)
        return next(names, "")

    def above(self, concept: Node) -> list[Node]:
        parents = set(self.graph.subjects(SKOS.narrower, concept))
        for up in (SKOS.broader, RDFS.subClassOf):
            parents.update(self.graph.objects(concept, up))
        return sorted(node for node in parents if isinstance(node, URIRef))

    def _literals(self, concept: Node, predicate: Node) -> list[Literal]:
        """Texts, those in the language first; labels that are nodes of their own are followed."""
        literals: list[Literal] = []
        for node in self.graph.objects(concept, predicate):
            literals += (
                [node] if isinstance(node, Literal) else self.graph.objects(node, XL.literalForm)
            )
        return sorted(literals, key=lambda t: (self._rank(t), t.language or "", str(t)))

    def _rank(self, text: Literal) -> int:
        """0 in the language, 1 without one, 2 in another."""
        if text.language is None:
            return 1
        language = text.language.lower()
        return 0 if language == self.language or language.startswith(f"{self.language}-") else 2


def obo(path: Path, options: Options) -> Iterator[Item]:
    """Read the terms of a file, in its order, all held in memory.

    Imports are not read: a parent that only they have is left out and counted.
    """
    text, terms, outside = _readable(path)
    for number in outside:
        yield LeftOut("broader terms that are not in the file", f"line {number}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what pronto doesn't keep
        try:
            ontology = pronto.Ontology(io.BytesIO(text), import_depth=0)
            items = [_term(ontology, term, f"line {number}", options) for term, number in terms]
        except BaseException as error:  # a panic of its parser, in Rust, is no Exception
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise InputError(f"{path}: not valid OBO ({error}).") from None
    yield from items


def _term(ontology: pronto.Ontology, identity: str, place: str, options: Options) -> Item:
    term = ontology.get_term(identity)
    if term.obsolete:
        return LeftOut("obsolete terms", place)
    above = broader(
        term,
        lambda term: sorted(term.superclasses(1, with_self=False), key=lambda up: up.id),
        lambda term: term.name or term.id,
    )
    texts = [str(term.definition or ""), term.comment or "", above]
    return Entity(
        id=identity,
        title=term.name or "",
        description="\n".join(filter(None, texts)),
        place=place,
        world=options.world or term.namespace or ontology.metadata.default_namespace or "",
        aliases=sorted(synonym.description for synonym in term.synonyms),
        further={
            "xrefs": "\n".join(sorted(xref.id for xref in term.xrefs)),
            "alternate_ids": "\n".join(sorted(term.alternate_ids)),
        },
    )


def _readable(path: Path) -> tuple[bytes, list[tuple[str, int]], list[int]]:
    """What pronto reads of a file; each term with its line, which pronto does not tell; and the
    lines that lead out of the file.

    pronto wants the version first and a line end last, and takes no comments, no ``is_a`` that
    leads out and no type of a synonym that is not declared; nobody reads these types.
    """
    with opened(path) as stream:
        lines = [TYPED.sub(rb"\1 [", line) for line in lines_of(stream, path)]
    lines = [b"\n" if line.startswith(b"!") else line for line in lines]
    stanza, known, terms, parents = b"", set(), [], []
    for number, line in enumerate(lines, start=1):
        tag = line.partition(b":")[0].strip()
        if line.startswith(b"["):
            stanza = line.strip()
        elif stanza and tag == b"id":
            known.add((stanza, identity := _identity(line)))
            if stanza == b"[Term]":
                terms.append((identity, number))
        elif tag == b"is_a":
            parents.append(((stanza, _identity(line)), number))
    outside = [number for parent, number in parents if parent not in known]
    for number in outside:
        lines[number - 1] = b"\n"
    first = next((line for line in lines if line.strip()), b"").removeprefix(codecs.BOM_UTF8)
    if not first.startswith(FIRST_LINES):
        lines.insert(0, b"format-version: 1.2\n")
    return b"".join([*lines, b"\n"]), terms, outside


def _identity(line: bytes) -> str:
    """The identifier of a clause, up to a comment or a qualifier.

    >>> _identity(b"id: a\\\\!b {x=1} ! c")
    'a!b'
    """
    written = re.match(r"(?:\\.|[^\\!{])*", line.decode(errors="replace").partition(":")[2])[0]
    return re.sub(r"\\(.)", r"\1", written.strip())
