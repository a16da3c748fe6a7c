"""KILT's knowledge source: Wikipedia, a page a line.

``text`` begins with the title. Headings of sections begin with ``Section::::``, items of lists with
``BULLET::::``.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from muver.kb.importing.items import Entity, Item, LeftOut
from muver.kb.importing.lines import parsed_lines, whole_id
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import BadLine, line_parser

SECTION = "Section::::"
BULLET = "BULLET::::"


class Page(NamedTuple):
    """A page; ``paragraphs`` are stripped and not empty, without headings and marks of items."""

    id: str
    title: str
    paragraphs: list[str]


class _Line(Struct):
    wikipedia_id: str | int
    wikipedia_title: str
    text: list[str]


_parse = line_parser(_Line)


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read a dump, in several processes where asked."""
    world = given.world_of(path)
    for place, page in parsed_lines(path, read_page, given.workers, given.settings):
        if isinstance(page, LeftOut):
            yield page
        else:
            text = "\n".join(page.paragraphs)
            yield Entity(page.id, page.title, text, f"{place}", world)


def read_page(line: bytes, paragraphs: int | None = None) -> Page:
    """Parse a line, keeping at most so many paragraphs; raises BadLine for any other form.

    The line must have an id (digits, as text or number), a title and a list of texts; other keys
    are ignored.
    """
    page = _parse(line)
    title = page.wikipedia_title.strip()
    if not title:
        raise BadLine("wikipedia_title is empty")
    identity = whole_id(page.wikipedia_id, "wikipedia_id")
    return Page(identity, title, list(islice(_paragraphs(page.text[1:]), paragraphs)))


def _paragraphs(texts: list[str]) -> Iterator[str]:
    for text in texts:
        text = text.strip()
        if not text.startswith(SECTION) and (text := text.removeprefix(BULLET).strip()):
            yield text
