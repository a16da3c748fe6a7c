"""Wikidata's JSON dump: a large array with an entity a line, read a line at a time.

The format is that of https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html; where a
dictionary is empty, dumps have an empty list.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from muver.io.errors import InputError
from muver.kb.importing.importing_settings import Options
from muver.kb.importing.schema import Entity, Item
from muver.retriever.corpus.jsonl import line_parser
from muver.retriever.corpus.opening import BAD, CUT, LeftOut, parsed_lines

ANY_LANGUAGE = "mul"  # Wikidata's code for names that are the same in all
INSTANCE = "P31"
EXPECTED = "Expected Wikidata's dump, an entity a line. Of other arrays jq -c '.[]' makes lines."


class _Datavalue(Struct):
    value: Any


class _Snak(Struct):
    datavalue: _Datavalue | None = None


class _Statement(Struct):
    mainsnak: _Snak
    rank: str = "normal"


class _Text(Struct):
    value: str


class _Article(Struct):
    title: str = ""


class _Line(Struct):
    id: str
    type: str = "item"
    labels: dict[str, _Text] | list = {}
    descriptions: dict[str, _Text] | list = {}
    aliases: dict[str, list[_Text]] | list = {}
    claims: dict[str, list[_Statement]] | list = {}
    sitelinks: dict[str, _Article] | list = {}


_parse = line_parser(_Line)
Condition = tuple[str, set[str]]  # a property, and values of which it has one; of none, any


def conditions(where: Sequence[str]) -> list[Condition]:
    """Parse ``P31=Q5``, ``P31=Q5|Q15632617`` or ``P31``."""
    parsed = []
    for text in where:
        if not re.fullmatch(r"P\d+(=[QPL]\d+(\|[QPL]\d+)*)?", text):
            raise InputError(
                f"--where {text}: expected a property of Wikidata, and items that are its value: "
                "P31=Q5, P31=Q5|Q43229, or P625 for any value."
            )
        name, _, values = text.partition("=")
        parsed.append((name, set(filter(None, values.split("|")))))
    return parsed


def entities(path: Path, options: Options) -> Iterator[Item]:
    """Read a dump, in several processes where asked; the order is that of the dump."""
    read = partial(
        _read,
        wanted=conditions(options.where),
        language=options.settings.language,
        world=options.world or "wikidata",
    )
    last: Item | bytes | None = None
    for place, _, item in parsed_lines(path, read, options.workers):
        if place == "line 1" and item != b"[":
            raise InputError(f"{path}: has more than [ in its first line. {EXPECTED}")
        if isinstance(item, LeftOut) and item.why == BAD:
            raise InputError(f"{path}, {item.place}. {EXPECTED}")
        if isinstance(item, Entity | LeftOut):
            item.place = place
            yield item
        if item != b"":  # an empty line
            last = item
    if last != b"]":
        raise InputError(f"{path}: the dump ends without its closing ]. {CUT}")


def _read(
    line: bytes, wanted: Sequence[Condition], language: str, world: str
) -> Item | bytes | None:
    """A line as an item; the array's brackets as they are, None for what is not wanted."""
    line = line.strip().rstrip(b",")
    if line in (b"", b"[", b"]"):
        return line
    # Whether all that is needed is mentioned: much quicker than parsing.
    for name, values in wanted:
        if not _mentioned(line, [name]) or (values and not _mentioned(line, values)):
            return None
    entity = _parse(line)
    claims = _dict(entity.claims)
    for name, values in wanted:
        held = [claim for claim in claims.get(name, []) if claim.rank != "deprecated"]
        if not held or (values and values.isdisjoint(_items(held))):
            return None
    if entity.type != "item":
        return LeftOut(f"of type {entity.type}", "")
    languages = dict.fromkeys([language, language.partition("-")[0], ANY_LANGUAGE])
    labels, descriptions = _dict(entity.labels), _dict(entity.descriptions)
    names = [labels[code].value for code in languages if code in labels]
    if not names:
        return LeftOut(f"without a label in {language!r}", "")
    texts = [descriptions[code].value for code in languages if code in descriptions]
    aliases = _dict(entity.aliases)
    others = [alias.value for code in languages for alias in aliases.get(code, [])]
    article = _dict(entity.sitelinks).get(f"{language.replace('-', '_')}wiki", _Article())
    return Entity(
        id=entity.id,
        title=names[0],
        description=texts[0] if texts else "",
        world=world,
        aliases=[*names[1:], *others],
        further={
            "instance_of": "\n".join(_items(claims.get(INSTANCE, []))),
            "wikipedia": article.title,
        },
    )


def _mentioned(line: bytes, names: Iterable[str]) -> bool:
    return any(f'"{name}"'.encode() in line for name in names)


def _items(statements: Sequence[_Statement]) -> list[str]:
    """The items that statements name, without deprecated statements."""
    values = [
        claim.mainsnak.datavalue.value
        for claim in statements
        if claim.mainsnak.datavalue and claim.rank != "deprecated"
    ]
    named = [value.get("id") for value in values if isinstance(value, dict)]
    return [value for value in named if isinstance(value, str)]


def _dict(value: dict | list) -> dict:
    return value if isinstance(value, dict) else {}
