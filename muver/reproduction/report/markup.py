"""Pieces of HTML: texts and data that cannot end the element they stand in, tables, lists."""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from muver.reproduction.tables.html import text


def compressed(value: Any) -> str:
    """JSON, gzipped, in base64: the same text for the same value."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(data.encode("utf-8"), 6, mtime=0)).decode("ascii")


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "table"), counted(2, "table")
    ('1 table', '2 tables')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def details(summary: str, content: str) -> str:
    """A part that opens on demand."""
    return f"<details><summary>{text(summary)}</summary>\n{content}</details>"


def paragraph(sentence: str, kind: str = "") -> str:
    """A paragraph of plain text; nothing for an empty one."""
    if not sentence:
        return ""
    return f'<p class="{kind}">{text(sentence)}</p>' if kind else f"<p>{text(sentence)}</p>"


def properties(title: str, values: Mapping[str, str]) -> str:
    """A list of properties with a heading."""
    items = "".join(
        f"<div><dt>{text(key)}</dt><dd>{text(value)}</dd></div>" for key, value in values.items()
    )
    return f'<h4>{text(title)}</h4><dl class="facts">{items}</dl>'


def section(name: str, title: str, content: str) -> str:
    """A part of the page, to which ``#name`` leads."""
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{content}\n</section>'
    )
