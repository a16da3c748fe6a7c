"""Sentence templates, and the kinds of facts that they state."""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from miniwikia.lexicon import Form, read_data

TYPES = ("person", "place", "organisation", "artefact", "creature", "event")

_GAP = re.compile(r"\$(?:(a|s):)?(\w+)")


class Template(NamedTuple):
    """A sentence: literal pieces and gaps; a gap is a name and the field of Form that fills it."""

    pieces: tuple[str | tuple[str, str], ...]
    begins_with_subject: bool
    has_subject: bool

    def fill(self, values: Mapping[str, Form]) -> str:
        """The sentence with its gaps filled; the first letter stays as it is."""
        return "".join(
            piece if isinstance(piece, str) else getattr(values[piece[0]], piece[1])
            for piece in self.pieces
        )


class Kind(NamedTuple):
    """A kind of fact: its templates, and what fills its slots (a class of words or "@type")."""

    number: int
    aspect: str
    lead: bool
    once: bool
    slots: tuple[tuple[str, str], ...]
    tell: tuple[Template, ...]


class Grammar(NamedTuple):
    """All of grammar.yaml, compiled."""

    kinds: tuple[Kind, ...]
    by_type: dict[str, tuple[Kind, ...]]
    links: dict[str, tuple[Template, ...]]
    aliases: tuple[Template, ...]
    fillers: tuple[Template, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]


def compile_template(text: str) -> Template:
    """Split a sentence at its gaps; lower its first letter, so that an opener may precede it."""
    pieces: list[str | tuple[str, str]] = []
    end = 0
    for gap in _GAP.finditer(text):
        if gap.start() > end:
            pieces.append(text[end : gap.start()])
        pieces.append((gap[2], gap[1] or "bare"))
        end = gap.end()
    pieces.append(text[end:])
    if isinstance(pieces[0], str):
        pieces[0] = pieces[0][:1].lower() + pieces[0][1:]
    return Template(tuple(pieces), text.startswith("$S "), "$S" in text or "$a:S" in text)


def as_sentence(text: str) -> str:
    """Capitalise the first letter, even after an opening quotation mark.

    >>> as_sentence('" never "')
    '" Never "'
    """
    at = 2 if text.startswith('" ') else 0
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


@functools.cache
def load_grammar() -> Grammar:
    data = read_data("grammar.yaml")
    kinds: list[Kind] = []
    by_type: dict[str, tuple[Kind, ...]] = {}
    for type_name in TYPES:
        first = len(kinds)
        for entry in data[type_name]:
            kinds.append(
                Kind(
                    number=len(kinds),
                    aspect=entry["aspect"],
                    lead=entry.get("lead", False),
                    once=entry.get("once", False),
                    slots=tuple(entry["slots"].items()),
                    tell=tuple(compile_template(text) for text in entry["tell"]),
                )
            )
        by_type[type_name] = tuple(kinds[first:])
    return Grammar(
        kinds=tuple(kinds),
        by_type=by_type,
        links={
            name: tuple(compile_template(text) for text in data["links"][name]) for name in TYPES
        },
        aliases=tuple(compile_template(text) for text in data["aliases"]),
        fillers=tuple(compile_template(text) for text in data["fillers"]),
        openers=tuple(data["openers"]),
        closers=tuple(data["closers"]),
    )
