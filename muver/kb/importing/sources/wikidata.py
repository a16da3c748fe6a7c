"""Wikidata's JSON dump: a large array with an entity a line, read a line at a time.

The format is that of https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html; where a
dictionary is empty, dumps have an empty list.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from muver.io.errors import InputError
from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.lines import BAD, parsed_lines
from muver.kb.importing.opening import cut_off
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import line_parser

ANY_LANGUAGE = "mul"  # Wikidata's code for names that are the same in all
INSTANCE = "P31"
EXPECTED = (
    "Expected Wikidata's dump, an array with an entity a line. Another array becomes JSON lines "
    "by: jq -c '.[]' {}"
)


class _Datavalue(Struct):
    value: Any


class _Snak(Struct):
    datavalue: _Datavalue | None = None


class _Statement(Struct):
    mainsnak: _Snak
    rank: str = "normal"


class _Line(Struct):
    id: str
    type: str = "item"
    labels: dict[str, dict[str, str]] | list = {}
    descriptions: dict[str, dict[str, str]] | list = {}
    aliases: dict[str, list[dict[str, str]]] | list = {}
    claims: dict[str, list[_Statement]] | list = {}
    sitelinks: dict[str, dict[str, Any]] | list = {}


_parse = line_parser(_Line)


class Condition(Struct, frozen=True):
    """A property, and the values of which it must have one; without values, any."""

    property: str
    values: frozenset[str]

    def may_hold(self, line: bytes) -> bool:
        """Whether a line mentions all that is needed: a look that is much quicker than parsing."""
        return _quoted(self.property) in line and (
            not self.values or any(_quoted(value) in line for value in self.values)
        )

    def holds(self, entity: _Line) -> bool:
        """Whether an entity meets the condition."""
        statements = _dict(entity.claims).get(self.property, [])
        if not self.values:
            return any(one.rank != "deprecated" for one in statements)
        return not self.values.isdisjoint(_values(statements))


def conditions(where: Sequence[str]) -> tuple[Condition, ...]:
    """Parse ``P31=Q5``, ``P31=Q5|Q15632617`` or ``P31``."""
    parsed = []
    for text in where:
        if not re.fullmatch(r"P\d+(=[QPL]\d+(\|[QPL]\d+)*)?", text):
            raise InputError(
                f"--where {text}: expected a property of Wikidata, and items that are its value: "
                "P31=Q5, P31=Q5|Q43229, or P625 for any value."
            )
        name, _, values = text.partition("=")
        parsed.append(Condition(name, frozenset(filter(None, values.split("|")))))
    return tuple(parsed)


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read a dump, in several processes where asked; the order is that of the dump."""
    read = partial(
        _read,
        wanted=conditions(given.where),
        language=given.settings.language,
        world=given.world or "wikidata",
    )
    item: Item | bytes | None = None
    for place, item in parsed_lines(path, read, given.workers, given.settings):
        if place.line == 1 and item != b"[":
            raise InputError(f"{path}: has more than [ in its first line. {EXPECTED.format(path)}")
        if isinstance(item, LeftOut) and item.why == BAD and place.ended:
            raise InputError(f"{path}, {item.place}. {EXPECTED.format(path)}")
        if isinstance(item, Entity | LeftOut) and place.ended:
            item.place = f"{place}"
            yield item
    if item != b"]":
        cut_off(path, "the dump ends without its closing ]", given.settings.incomplete)


def _read(
    line: bytes, wanted: Sequence[Condition], language: str, world: str
) -> Item | bytes | None:
    """A line as an item; the array's brackets as they are, None for what is not wanted."""
    line = line.strip().rstrip(b",")
    if line in (b"", b"[", b"]"):
        return line
    if not all(condition.may_hold(line) for condition in wanted):
        return None
    entity = _parse(line)
    if not all(condition.holds(entity) for condition in wanted):
        return None
    if entity.type != "item":
        return LeftOut(f"of type {entity.type}", "")
    languages = dict.fromkeys([language, language.partition("-")[0], ANY_LANGUAGE])
    labels, descriptions, aliases, claims, sitelinks = map(
        _dict,
        (entity.labels, entity.descriptions, entity.aliases, entity.claims, entity.sitelinks),
    )
    names = [labels[one]["value"] for one in languages if one in labels]
    if not names:
        return LeftOut(f"without a label in {language!r}", "")
    texts = [descriptions[one]["value"] for one in languages if one in descriptions]
    others = [one["value"] for own in languages for one in aliases.get(own, [])]
    article = sitelinks.get(f"{language.replace('-', '_')}wiki")
    further = {
        "instance_of": "\n".join(_values(claims.get(INSTANCE, []))),
        "wikipedia": article["title"] if article else "",
    }
    return Entity(
        id=entity.id,
        title=names[0],
        description=texts[0] if texts else "",
        world=world,
        aliases=[*names[1:], *others],
        further={name: text for name, text in further.items() if text},
    )


def _values(statements: Sequence[_Statement]) -> list[str]:
    """The items that statements name, without deprecated statements."""
    values = [
        one.mainsnak.datavalue.value
        for one in statements
        if one.mainsnak.datavalue and one.rank != "deprecated"
    ]
    return [value["id"] for value in values if isinstance(value, dict) and "id" in value]


def _dict(value: dict | list) -> dict:
    return value if isinstance(value, dict) else {}


def _quoted(name: str) -> bytes:
    return f'"{name}"'.encode()
