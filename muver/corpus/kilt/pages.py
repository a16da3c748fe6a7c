"""One line of KILT's knowledge source: a page with its id, title and paragraphs."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

try:  # quicker, and installed along with other packages; the result is the same
    from orjson import loads as _loads
except ImportError:  # pragma: no cover - depends on the installation
    from json import loads as _loads

SECTION = "Section::::"
BULLET = "BULLET::::"
KEYS = ("wikipedia_id", "wikipedia_title", "text")
LONGEST_ID = 18  # digits of an int64
SHOWN = 60  # characters of a wrong value


class BadLine(ValueError):
    """A line that is no page; the message says why."""


class Page(NamedTuple):
    """A page of Wikipedia.

    Attributes
    ----------
    paragraphs
        The first text paragraphs after the title: no section headings, bullet items without their
        mark, stripped, none empty.
    begins_with_title
        Whether the first paragraph, which is left out, is the title as KILT says.
    """

    id: str
    title: str
    paragraphs: list[str]
    begins_with_title: bool


def read_page(line: bytes, paragraphs: int) -> Page:
    """The page of a line, with at most so many paragraphs; further keys are passed over.

    Raises
    ------
    BadLine
        If the line is not a JSON object with an id (digits, as text or number), a title that is
        not empty and a list of texts.
    """
    value = json_object(line, KEYS)
    title = as_text(value["wikipedia_title"], "wikipedia_title").strip()
    if not title:
        raise BadLine("wikipedia_title is empty")
    text = value["text"]
    if not isinstance(text, list):
        raise BadLine(f"text is no list of paragraphs but {_shown(text)}")
    first = as_text(text[0], "a paragraph").strip() if text else title
    kept = _paragraphs(text, paragraphs)
    return Page(as_id(value["wikipedia_id"], "wikipedia_id"), title, kept, first == title)


def json_object(line: bytes, keys: Sequence[str]) -> dict[str, Any]:
    """The JSON object of a line, which has these keys.

    Raises
    ------
    BadLine
        If it is none, or lacks one.
    """
    if not line.strip():
        raise BadLine("an empty line")
    try:
        value = _loads(line)
    except RecursionError:
        raise BadLine("not valid JSON (nested too deep)") from None
    except ValueError as error:
        raise BadLine(f"not valid JSON ({error})") from None
    if not isinstance(value, dict):
        raise BadLine("not a JSON object")
    missing = [key for key in keys if key not in value]
    if missing:
        raise BadLine(f"the key {missing[0]!r} is missing")
    return value


def as_id(value: Any, what: str) -> str:
    """The id of a page, digits as text or number; a :class:`BadLine` names ``what`` is none."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        raise BadLine(f"{what} {_shown(value)} is not a number")
    if len(text) > LONGEST_ID:
        raise BadLine(f"{what} {_shown(value)} has more than {LONGEST_ID} digits")
    return text


def as_text(value: Any, what: str) -> str:
    """A text that can be written; a :class:`BadLine` names ``what`` is none."""
    if not isinstance(value, str):
        raise BadLine(f"{what} is no text but {_shown(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadLine(f"{what} holds half a surrogate pair, which is not text") from None
    return value


def _paragraphs(text: list[Any], wanted: int) -> list[str]:
    kept: list[str] = []
    for paragraph in text[1:]:
        if len(kept) == wanted:
            break
        paragraph = as_text(paragraph, "a paragraph").strip()
        if paragraph.startswith(SECTION):
            continue
        paragraph = paragraph.removeprefix(BULLET).strip()
        if paragraph:
            kept.append(paragraph)
    return kept


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
