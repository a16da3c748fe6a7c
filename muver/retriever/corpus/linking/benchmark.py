"""The mentions of a benchmark, independent of its file's format."""

from collections.abc import Sequence
from typing import NamedTuple

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


def with_ids(
    name: str, mentions: Sequence[LinkedMention], lines: Sequence[int]
) -> list[LinkedMention]:
    """Keep the mentions' ids if all have one and all differ; else number them ``<name>-<line>``."""
    own = {mention.mention_id for mention in mentions}
    if len(own) == len(mentions) and "" not in own:
        return list(mentions)
    return [
        mention._replace(mention_id=f"{name}-{line}")
        for mention, line in zip(mentions, lines, strict=True)
    ]
