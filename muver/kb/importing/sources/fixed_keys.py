"""JSON lines with keys that are fixed: KILT's, BLINK's and ZESHEL's, and entities with links."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from muver.io.errors import InputError
from muver.kb.importing.importing_settings import Given
from muver.kb.importing.items import Entity, Item
from muver.kb.importing.opening import parsed_lines, read_json_lines
from muver.retriever.corpus.jsonl import BadLine, Identity, line_parser
from muver.retriever.corpus.zeshel import Document

SECTION = "Section::::"  # begins a heading of KILT's
BULLET = "BULLET::::"  # and an item of a list


class Page(NamedTuple):
    """A page; ``paragraphs`` are stripped and not empty, without headings and marks of items."""

    id: str
    title: str
    paragraphs: list[str]


class _KiltLine(Struct):
    wikipedia_id: Identity
    wikipedia_title: str
    text: list[str]  # begins with the title


class _LinkedLine(Entity):
    id: Identity

    def __post_init__(self) -> None:
        self.id = str(self.id)


class _BlinkLine(Struct):
    idx: Identity  # ends with the page's id: https://en.wikipedia.org/wiki?curid=12
    text: str
    title: str = ""


_parse_kilt, _parse_blink = line_parser(_KiltLine), line_parser(_BlinkLine)


def _pages(path: Path, given: Given, read: Callable[[bytes], Entity]) -> Iterator[Item]:
    for place, _, one in parsed_lines(path, read, given.workers):
        if isinstance(one, Entity):
            one.place = place
        yield one


def zeshel(path: Path, given: Given) -> Iterator[Entity]:
    """Read ``documents/<world>.json`` of ZESHEL's format."""
    for place, one in read_json_lines(path, Document, given.settings.encoding):
        further = {"type": one.type or ""}
        yield Entity(one.document_id, one.title, one.text, place, further=further)


def linked(path: Path, given: Given) -> Iterator[Entity]:
    """Read `muver.kb.importing.items.Entity`, a line each, with the links of descriptions."""
    for place, entity in read_json_lines(path, _LinkedLine, given.settings.encoding):
        at = [0, *(end for one in entity.links for end in (one.start, one.end))]
        if at != sorted(at) or at[-1] > len(entity.description):
            raise InputError(
                f"{path}, {place}: its links overlap, are out of order or leave the description; "
                "start and end count its characters from 0."
            )
        entity.place = entity.place or place
        yield entity


def read_page(line: bytes, paragraphs: int | None = None) -> Page:
    """A line of KILT's with at most so many paragraphs; raises BadLine for any other form."""
    page = _parse_kilt(line)
    title = page.wikipedia_title.strip()
    if not title:
        raise BadLine("wikipedia_title is empty")
    identity = _page_id(page.wikipedia_id, "wikipedia_id")
    return Page(identity, title, list(islice(_paragraphs(page.text[1:]), paragraphs)))


def _read_article(line: bytes) -> Entity:
    page = read_page(line)
    return Entity(page.id, page.title, "\n".join(page.paragraphs))


def read_entity(line: bytes) -> Entity:
    """A line of BLINK's; raises BadLine for any other form.

    >>> read_entity(b'{"idx": "https://en.wikipedia.org/wiki?curid=12", "text": " An idea"}').id
    '12'
    """
    one = _parse_blink(line)
    identity = _page_id(str(one.idx).rpartition("curid=")[2].strip(), "idx")
    return Entity(identity, one.title, one.text.strip())


kilt = partial(_pages, read=_read_article)
blink = partial(_pages, read=read_entity)


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
