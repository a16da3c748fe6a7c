"""Mentions in BLINK's JSON lines.

A line has ``context_left``, ``mention`` and ``context_right``. The gold entity stands under
``Wikipedia_ID`` and ``Wikipedia_title``; some releases have ``label_id`` (or a number under
``label``) and ``label_title`` instead.
"""

from pathlib import Path
from typing import Any, NamedTuple

from muver.corpus.jsonl import read_json_lines
from muver.errors import InputError

FIELDS = {"context_left": str, "mention": str, "context_right": str}
ID_KEYS = ("Wikipedia_ID", "label_id", "label")
TITLE_KEYS = ("Wikipedia_title", "label_title")
NO_ID = -1
LONGEST_ID = 18  # digits of an int64


class LinkedMention(NamedTuple):
    """A mention as a benchmark has it.

    Attributes
    ----------
    gold_id
        Wikipedia id of the gold entity, -1 if the line has none.
    gold_title
        Its title, empty if the line has none.
    """

    mention_id: str
    left: str
    text: str
    right: str
    gold_id: int
    gold_title: str


def read_set(name: str, path: str | Path) -> list[LinkedMention]:
    """The mentions of a benchmark file, in its order.

    Their ids are the lines' ``query_id``, if every line has one and no two have the same, else
    ``<name>-<line>``.

    Raises
    ------
    InputError
        For a missing or empty file, a malformed line, an empty mention, or if no line names a gold
        entity.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected the mentions of {name} as JSON lines.")
    rows: list[tuple[Any, LinkedMention]] = []
    for number, line in read_json_lines(path, FIELDS):
        if not line["mention"].strip():
            raise InputError(f"{path}, line {number}: 'mention' is empty.")
        mention = LinkedMention(
            f"{name}-{number}", line["context_left"], line["mention"], line["context_right"],
            _gold_id(line), _gold_title(line),
        )  # fmt: skip
        rows.append((line.get("query_id"), mention))
    mentions = [mention for _, mention in rows]
    if not mentions:
        raise InputError(f"{path}: holds no mentions.")
    if all(one.gold_id == NO_ID and not one.gold_title for one in mentions):
        raise InputError(
            f"{path}: no line names a gold entity; expected its Wikipedia id under one of "
            f"{', '.join(ID_KEYS)} or its title under one of {', '.join(TITLE_KEYS)}."
        )
    queries = [str(query) for query, _ in rows if query not in (None, "")]
    if len(set(queries)) == len(mentions):
        return [
            mention._replace(mention_id=query)
            for query, mention in zip(queries, mentions, strict=True)
        ]
    return mentions


def _gold_id(line: dict[str, Any]) -> int:
    """The first of the keys that holds a whole number, as a number or as text.

    >>> _gold_id({"Wikipedia_ID": "", "label_id": -1, "label": "12"})
    12
    """
    for key in ID_KEYS:
        value = line.get(key)
        text = str(value).strip() if isinstance(value, int | str) else ""
        if text.isascii() and text.isdigit() and len(text) <= LONGEST_ID and int(text) > 0:
            return int(text)
    return NO_ID


def _gold_title(line: dict[str, Any]) -> str:
    for key in TITLE_KEYS:
        value = line.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
