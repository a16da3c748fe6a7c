"""Mentions in BLINK's JSON lines.

A line has ``context_left``, ``mention`` and ``context_right``. The gold entity stands under
``Wikipedia_ID`` and ``Wikipedia_title``; some releases have ``label_id`` (or a number under
``label``) and ``label_title`` instead.
"""

from pathlib import Path
from typing import Any

from muver.corpus.jsonl import read_json_lines
from muver.corpus.linking.benchmark import NO_ID, Benchmark, LinkedMention, whole_id, with_ids
from muver.io.errors import InputError

FIELDS = {"context_left": str, "mention": str, "context_right": str}
ID_KEYS = ("Wikipedia_ID", "label_id", "label")
TITLE_KEYS = ("Wikipedia_title", "label_title")


def read_blink(name: str, path: Path, part: str | None = None) -> Benchmark:
    """Read the mentions of a file, in its order; none is left out.

    Such a file holds one set, so ``part`` is not looked at. The mentions keep the lines'
    ``query_id`` if every line has one and all differ; else they are numbered ``<name>-<line>``.

    Raises
    ------
    InputError
        For a malformed line, an empty mention, or if no line names a gold entity.
    """
    mentions, lines = [], []
    for number, line in read_json_lines(path, FIELDS):
        if not line["mention"].strip():
            raise InputError(f"{path}, line {number}: 'mention' is empty.")
        query = line.get("query_id")
        mention = LinkedMention(
            "" if query is None else str(query), line["context_left"], line["mention"],
            line["context_right"], _gold_id(line), _gold_title(line),
        )  # fmt: skip
        mentions.append(mention)
        lines.append(number)
    if mentions and all(one.gold_id == NO_ID and not one.gold_title for one in mentions):
        raise InputError(
            f"{path}: no line names a gold entity; expected its Wikipedia id under one of "
            f"{', '.join(ID_KEYS)} or its title under one of {', '.join(TITLE_KEYS)}."
        )
    return Benchmark(with_ids(name, mentions, lines), {})


def _gold_id(line: dict[str, Any]) -> int:
    """The first of the keys that holds a whole number, as a number or as text.

    >>> _gold_id({"Wikipedia_ID": "", "label_id": -1, "label": "12"})
    12
    """
    ids = (whole_id(line.get(key)) for key in ID_KEYS)
    return next((found for found in ids if found != NO_ID), NO_ID)


def _gold_title(line: dict[str, Any]) -> str:
    for key in TITLE_KEYS:
        value = line.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
