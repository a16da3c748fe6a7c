"""Lines of KILT's knowledge source and of BLINK's entities, by the number of Wikipedia's page."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from muver.io.errors import quoted
from muver.retriever.corpus.jsonl import BadLine, Identity, line_parser

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


class _BlinkLine(Struct):
    idx: Identity  # ends with the page's id: https://en.wikipedia.org/wiki?curid=12
    text: str
    title: str = ""


_parse_kilt, _parse_blink = line_parser(_KiltLine), line_parser(_BlinkLine)


def read_page(line: bytes, paragraphs: int | None = None) -> Page:
    """A line of KILT's with at most so many paragraphs; raises BadLine for any other form."""
    page = _parse_kilt(line)
    title = page.wikipedia_title.strip()
    if not title:
        raise BadLine("wikipedia_title is empty")
    identity = _page_id(page.wikipedia_id, "wikipedia_id")
    return Page(identity, title, list(islice(_paragraphs(page.text[1:]), paragraphs)))


def read_text(line: bytes) -> Page:
    """A line of BLINK's, its text as one paragraph or none; raises BadLine for any other form.

    >>> read_text(b'{"idx": "https://en.wikipedia.org/wiki?curid=12", "text": " An idea"}').id
    '12'
    """
    page = _parse_blink(line)
    identity = _page_id(str(page.idx).rpartition("curid=")[2].strip(), "idx")
    text = page.text.strip()
    return Page(identity, page.title, [text] if text else [])


def _page_id(value: str | int, key: str) -> str:
    """A page's id as text that fits an int64."""
    if not re.fullmatch("[0-9]{1,18}", text := str(value)):
        raise BadLine(f"{key} {quoted(value)} is not a number of at most 18 digits")
    return text


def _paragraphs(texts: list[str]) -> Iterator[str]:
    for text in texts:
        text = text.strip()
        if not text.startswith(SECTION) and (text := text.removeprefix(BULLET).strip()):
            yield text
