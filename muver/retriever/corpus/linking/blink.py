"""Mentions in BLINK's JSON lines.

A line has ``context_left``, ``mention`` and ``context_right``. The gold entity stands under
``Wikipedia_ID`` and ``Wikipedia_title``; some releases have ``label_id`` (or a number under
``label``) and ``label_title`` instead.
"""

from pathlib import Path
from typing import Any

from msgspec import Struct

from muver.io.errors import InputError
from muver.retriever.corpus.jsonl import read_json_lines
from muver.retriever.corpus.linking.benchmark import (
    NO_ID,
    Benchmark,
    LinkedMention,
    whole_id,
    with_ids,
)


class _Line(Struct):
    context_left: str
    mention: str
    context_right: str
    query_id: Any = None
    Wikipedia_ID: Any = None
    label_id: Any = None
    label: Any = None
    Wikipedia_title: Any = None
    label_title: Any = None


def read_blink(name: str, path: Path, part: str | None = None) -> Benchmark:
    """Read the mentions of a file, in its order; none is left out.

    Such a file holds one set, so ``part`` is ignored. The mentions keep the lines' ``query_id`` if
    every line has one and all differ; else they are numbered ``<name>-<line>``.
    """
    mentions, lines = [], []
    for number, line in read_json_lines(path, _Line):
        if not line.mention.strip():
            raise InputError(f"{path}, line {number}: 'mention' is empty.")
        query = "" if line.query_id is None else str(line.query_id)
        gold = _gold_id(line.Wikipedia_ID, line.label_id, line.label)
        title = _gold_title(line.Wikipedia_title, line.label_title)
        texts = (line.context_left, line.mention, line.context_right)
        mentions.append(LinkedMention(query, *texts, gold, title))
        lines.append(number)
    if mentions and all(one.gold_id == NO_ID and not one.gold_title for one in mentions):
        raise InputError(
            f"{path}: no line names a gold entity; expected its Wikipedia id under one of "
            "Wikipedia_ID, label_id, label or its title under one of Wikipedia_title, label_title."
        )
    return Benchmark(with_ids(name, mentions, lines), {})


def _gold_id(*values: object) -> int:
    """The first value that is a whole number, as a number or as text.

    >>> _gold_id("", -1, "12")
    12
    """
    return next((gold for value in values if (gold := whole_id(value)) != NO_ID), NO_ID)


def _gold_title(*values: object) -> str:
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")
