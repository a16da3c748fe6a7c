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
from muver.kb.importing.opening import LONGEST_LINE, cut_off, pieces, too_long
from muver.kb.importing.parallel import in_order
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import BadLine, line_parser

BATCH = 1 << 20  # bytes, at least
ANY_LANGUAGE = "mul"  # Wikidata's code for names that are the same in all
INSTANCE = "P31"
EXPECTED = (
    "Expected Wikidata's dump, an array with an entity a line. Another array becomes JSON lines "
    "by: jq -c '.[]' {}"
)


class _Text(Struct):
    value: str


class _Link(Struct):
    title: str


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
    labels: dict[str, _Text] | list = {}
    descriptions: dict[str, _Text] | list = {}
    aliases: dict[str, list[_Text]] | list = {}
    claims: dict[str, list[_Statement]] | list = {}
    sitelinks: dict[str, _Link] | list = {}


class Condition(Struct, frozen=True):
    """A property, and the values of which it must have one; without values, any."""

    property: str
    values: frozenset[str]

    def may_hold(self, line: bytes) -> bool:
        """Whether a line mentions all that is needed: a look that is much quicker than parsing."""
        return _quoted(self.property) in line and (
            not self.values or any(_quoted(value) in line for value in self.values)
        )


def conditions(where: Sequence[str]) -> tuple[Condition, ...]:
    """Parse ``P31=Q5``, ``P31=Q5|Q15632617`` or ``P31``.

    Raises
    ------
    InputError
        For anything else.
    """
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
    """Read a dump, in several processes where asked; the order is that of the dump.

    Raises
    ------
    InputError
        For a line that is no entity, a dump that ends too early, or a condition that is none.
    """
    read = partial(
        items,
        path=path,
        wanted=conditions(given.where),
        language=given.settings.language,
        world=given.world or "wikidata",
    )
    for batch in in_order(read, _batches(path, given), given.workers):
        yield from batch


def items(
    batch: list[tuple[int, bytes]],
    path: Path,
    wanted: Sequence[Condition],
    language: str,
    world: str,
) -> list[Item]:
    """The entities of numbered lines that meet the conditions."""
    parse = line_parser(_Line)
    found: list[Item] = []
    for number, line in batch:
        if not all(condition.may_hold(line) for condition in wanted):
            continue
        try:
            entity = parse(line)
        except BadLine as error:
            raise InputError(f"{path}, line {number}: {error}. {EXPECTED.format(path)}") from None
        if all(_meets(entity, condition) for condition in wanted):
            found.append(_item(entity, f"line {number}", language, world))
    return found


def _batches(path: Path, given: Given) -> Iterator[list[tuple[int, bytes]]]:
    batch: list[tuple[int, bytes]] = []
    size, ended = 0, False
    for number, line in enumerate(_lines(path, given), start=1):
        if number == 1 and line.strip() != b"[":
            raise InputError(f"{path}: has more than [ in its first line. {EXPECTED.format(path)}")
        ended = line.strip() == b"]"
        whole = line.endswith(b"\n")
        line = line.strip().rstrip(b",")
        if whole and line not in (b"", b"[", b"]"):
            batch.append((number, line))
            size += len(line)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if not ended:
        cut_off(path, "the dump ends without its closing ]", given.settings)
    yield batch


def _lines(path: Path, given: Given) -> Iterator[bytes]:
    rest = b""
    for piece in pieces(path, given.settings):
        if len(rest) > LONGEST_LINE:
            raise too_long(path, "a line")
        lines = (rest + piece).splitlines(keepends=True)
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        yield from lines
    if rest:
        yield rest


def _item(entity: _Line, place: str, language: str, world: str) -> Item:
    if entity.type != "item":
        return LeftOut(f"of type {entity.type}", place)
    languages = dict.fromkeys([language, language.partition("-")[0], ANY_LANGUAGE])
    labels, descriptions, aliases, claims, sitelinks = map(
        _dict,
        (entity.labels, entity.descriptions, entity.aliases, entity.claims, entity.sitelinks),
    )
    names = [labels[one].value for one in languages if one in labels]
    if not names:
        return LeftOut(f"without a label in {language!r}", place)
    texts = [descriptions[one].value for one in languages if one in descriptions]
    others = [one.value for own in languages for one in aliases.get(own, [])]
    article = sitelinks.get(f"{language.replace('-', '_')}wiki")
    further = {
        "instance_of": "\n".join(_values(claims.get(INSTANCE, []))),
        "wikipedia": article.title if article else "",
    }
    return Entity(
        id=entity.id,
        title=names[0],
        description=texts[0] if texts else "",
        place=place,
        world=world,
        aliases=[*names[1:], *others],
        further={name: text for name, text in further.items() if text},
    )


def _meets(entity: _Line, condition: Condition) -> bool:
    statements = _dict(entity.claims).get(condition.property, [])
    if not condition.values:
        return any(one.rank != "deprecated" for one in statements)
    return not condition.values.isdisjoint(_values(statements))


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
