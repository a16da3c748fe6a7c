"""Pieces of HTML: texts and data that cannot end the element they stand in, tables, lists."""

import base64
import gzip
import html
import json
from collections.abc import Mapping, Sequence
from typing import Any


def text(value: object) -> str:
    """Text for element content and for attributes in double quotes.

    >>> text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(str(value))


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


def grid(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    texts: Sequence[int] = (0,),
    name: str = "",
) -> str:
    """A table that scrolls by itself where it is too wide, by keyboard too.

    Parameters
    ----------
    caption
        Plain text, which also names the region for screen readers.
    header
        Plain texts.
    rows
        Cells as HTML; the first cell of a row is its heading.
    texts
        Columns set to the left; the others hold numbers.
    name
        A class for the table.
    """

    def cell(tag: str, column: int, content: str) -> str:
        kind = ' class="text"' if column in texts else ""
        return f"<{tag}{kind}>{content}</{tag.partition(' ')[0]}>"

    head = "".join(cell('th scope="col"', n, text(title)) for n, title in enumerate(header))
    row_head = 'th scope="row"'
    lines = [[cell("td" if n else row_head, n, one) for n, one in enumerate(row)] for row in rows]
    body = "\n".join(f"<tr>{''.join(line)}</tr>" for line in lines)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{text(caption)}">'
        f'<table class="{name}"><caption>{text(caption)}</caption>\n<thead><tr>{head}</tr></thead>'
        f"\n<tbody>\n{body}\n</tbody></table></div>"
    )


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
