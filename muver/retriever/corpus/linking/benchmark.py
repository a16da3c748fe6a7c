"""The mentions of a benchmark, and those of BLINK's JSON lines.

A line of BLINK has ``context_left``, ``mention`` and ``context_right``. The gold entity stands
under ``Wikipedia_ID`` and ``Wikipedia_title``; some releases have ``label_id`` (or a number under
``label``) and ``label_title`` instead.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from muver.io.errors import InputError
from muver.retriever.corpus.jsonl import read_json_lines

NO_ID = -1
LONGEST_ID = 18  # digits of an int64


class LinkedMention(NamedTuple):
    """A mention with its context and its gold entity."""

    mention_id: str
    left: str
    text: str
    right: str
    gold_id: int  # of Wikipedia; -1 if unknown
    gold_title: str  # empty if unknown
    line: int  # of its file
    document: str | None = None  # that it stands in; None if the benchmark does not say


class Benchmark(NamedTuple):
    """The mentions of a set in the file's order, and the number left out for each reason."""

    mentions: list[LinkedMention]
    left_out: dict[str, int]


def whole_id(value: object) -> int:
    """A Wikipedia id, given as a number or as text; -1 for anything else.

    >>> whole_id(" 12"), whole_id("000"), whole_id(None)
    (12, -1, -1)
    """
    text = str(value).strip() if isinstance(value, int | str) else ""
    if text.isascii() and text.isdigit() and len(text) <= LONGEST_ID and int(text) > 0:
        return int(text)
    return NO_ID


def with_ids(name: str, mentions: Sequence[LinkedMention]) -> list[LinkedMention]:
    """Keep the mentions' ids if all have one and all differ; else number them ``<name>-<line>``."""
    ids = {mention.mention_id for mention in mentions}
    if len(ids) == len(mentions) and "" not in ids:
        return list(mentions)
    return [mention._replace(mention_id=f"{name}-{mention.line}") for mention in mentions]


class _Line(Struct):
    context_left: str
    mention: str
    context_right: str
    query_id: Any = None
    Wikipedia_ID: Any = None
    label_id: Any = None
    label: Any = None
    Wikipedia_title: str | None = None
    label_title: str | None = None


def read_blink(name: str, path: Path, part: str | None = None) -> Benchmark:
    """Read the mentions of a file, in its order; none is left out.

    Such a file holds one set, so ``part`` is ignored. The mentions keep the lines' ``query_id`` if
    every line has one and all differ; else they are numbered ``<name>-<line>``.
    """
    mentions = []
    for number, line in read_json_lines(path, _Line):
        if not line.mention.strip():
            raise InputError(f"{path}, line {number}: 'mention' is empty.")
        query = "" if line.query_id is None else str(line.query_id)
        ids = map(whole_id, (line.Wikipedia_ID, line.label_id, line.label))
        gold = next((id for id in ids if id != NO_ID), NO_ID)
        titles = ((title or "").strip() for title in (line.Wikipedia_title, line.label_title))
        title = next(filter(None, titles), "")
        texts = (line.context_left, line.mention, line.context_right)
        mentions.append(LinkedMention(query, *texts, gold, title, number))
    if mentions and all(m.gold_id == NO_ID and not m.gold_title for m in mentions):
        raise InputError(
            f"{path}: no line names a gold entity; expected its Wikipedia id under one of "
            "Wikipedia_ID, label_id, label or its title under one of Wikipedia_title, label_title."
        )
    return Benchmark(with_ids(name, mentions), {})
