"""JSON lines with keys that are fixed: KILT's, BLINK's and ZESHEL's, and entities with links."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, Struct

from muver.io.errors import InputError
from muver.kb.importing.corpus import Document
from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.lines import parsed_lines, read_json_lines
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import BadLine, line_parser

SECTION = "Section::::"  # begins a heading of KILT's
BULLET = "BULLET::::"  # and an item of a list


class Page(NamedTuple):
    """A page; ``paragraphs`` are stripped and not empty, without headings and marks of items."""

    id: str
    title: str
    paragraphs: list[str]


class _KiltLine(Struct):
    wikipedia_id: str | int
    wikipedia_title: str
    text: list[str]  # begins with the title


class _BlinkLine(Struct):
    idx: str | int  # ends with the page's id: https://en.wikipedia.org/wiki?curid=12
    text: str
    title: str = ""


_parse_kilt, _parse_blink = line_parser(_KiltLine), line_parser(_BlinkLine)


def kilt(path: Path, given: Given) -> Iterator[Item]:
    """Read KILT's knowledge source, Wikipedia with a page a line."""
    world = given.world_of(path)
    for place, page in parsed_lines(path, read_page, given.workers):
        if isinstance(page, LeftOut):
            yield page
        else:
            text = "\n".join(page.paragraphs)
            yield Entity(page.id, page.title, text, f"{place}", world)


def blink(path: Path, given: Given) -> Iterator[Item]:
    """Read BLINK's ``entity.jsonl``."""
    world = given.world_of(path)
    for place, one in parsed_lines(path, read_entity, given.workers):
        if isinstance(one, Entity):
            one.place, one.world = f"{place}", world
        yield one


def zeshel(path: Path, given: Given) -> Iterator[Entity]:
    """Read ``documents/<world>.json`` of ZESHEL's format."""
    world = given.world_of(path)
    for place, one in read_json_lines(path, Document, given.settings.encoding):
        further = {} if one.type is UNSET else {"type": one.type}
        yield Entity(one.document_id, one.title, one.text, place, world, further=further)


def linked(path: Path, given: Given) -> Iterator[Entity]:
    """Read `muver.kb.importing.items.Entity`, a line each, with the links of descriptions."""
    for place, entity in read_json_lines(path, Entity, given.settings.encoding):
        at = [0, *(end for one in entity.links for end in (one.start, one.end))]
        if at != sorted(at) or at[-1] > len(entity.description):
            raise InputError(
                f"{path}, {place}: its links overlap, are out of order or leave the description. "
                'Expected {"start": 0, "end": 4, "target": "a title"}, in characters of the '
                "description and in its order."
            )
        entity.place = entity.place or place
        entity.world = entity.world or given.world_of(path)
        yield entity


def read_page(line: bytes, paragraphs: int | None = None) -> Page:
    """A line of KILT's with at most so many paragraphs; raises BadLine for any other form."""
    page = _parse_kilt(line)
    title = page.wikipedia_title.strip()
    if not title:
        raise BadLine("wikipedia_title is empty")
    identity = _page_id(page.wikipedia_id, "wikipedia_id")
    return Page(identity, title, list(islice(_paragraphs(page.text[1:]), paragraphs)))


def read_entity(line: bytes) -> Entity:
    """A line of BLINK's; raises BadLine for any other form.

    >>> read_entity(b'{"idx": "https://en.wikipedia.org/wiki?curid=12", "text": " An idea"}').id
    '12'
    """
    one = _parse_blink(line)
    identity = _page_id(str(one.idx).rpartition("curid=")[2].strip(), "idx")
    return Entity(identity, one.title, one.text.strip())


def _page_id(value: str | int, key: str) -> str:
    """A page's id as text that fits an int64."""
    if not re.fullmatch("[0-9]{1,18}", text := str(value)):
        raise BadLine(f"{key} {value!r} is not a number of at most 18 digits")
    return text


def _paragraphs(texts: list[str]) -> Iterator[str]:
    for text in texts:
        text = text.strip()
        if not text.startswith(SECTION) and (text := text.removeprefix(BULLET).strip()):
            yield text
