"""One line of KILT's knowledge source: a page with its id, title and paragraphs."""

import re
from typing import NamedTuple

from msgspec import Struct

from muver.retriever.corpus.jsonl import BadLine, line_parser

SECTION = "Section::::"
BULLET = "BULLET::::"


class Page(NamedTuple):
    """A page of Wikipedia.

    Attributes
    ----------
    paragraphs
        The first text paragraphs after the title, stripped and not empty, without section headings
        and without the marks of bullet items.
    begins_with_title
        Whether the first paragraph, which is left out, is the title, as KILT's description says.
    """

    id: str
    title: str
    paragraphs: list[str]
    begins_with_title: bool


class _Line(Struct):
    wikipedia_id: str | int
    wikipedia_title: str
    text: list[str]


_parse = line_parser(_Line)


def read_page(line: bytes, paragraphs: int) -> Page:
    """Parse a line, keeping at most so many paragraphs; raises BadLine for any other form.

    The line must have an id (digits, as text or number), a title and a list of texts; other keys
    are ignored.
    """
    page = _parse(line)
    title = page.wikipedia_title.strip()
    if not title:
        raise BadLine("wikipedia_title is empty")
    begins_with_title = not page.text or page.text[0].strip() == title
    kept = _paragraphs(page.text, paragraphs)
    return Page(whole_id(page.wikipedia_id, "wikipedia_id"), title, kept, begins_with_title)


def whole_id(value: str | int, key: str) -> str:
    """A page's id, given as text or number, as text; raises BadLine unless it fits an int64."""
    if not re.fullmatch("[0-9]{1,18}", text := str(value)):
        raise BadLine(f"{key} {value!r} is not a number of at most 18 digits")
    return text


def _paragraphs(text: list[str], wanted: int) -> list[str]:
    kept: list[str] = []
    for paragraph in text[1:]:
        if len(kept) == wanted:
            break
        paragraph = paragraph.strip()
        if paragraph.startswith(SECTION):
            continue
        paragraph = paragraph.removeprefix(BULLET).strip()
        if paragraph:
            kept.append(paragraph)
    return kept
