"""HTML of small tables: a caption, a header, cells that are HTML already."""

from collections.abc import Sequence

from muver.report.embed import text


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
    head = "".join(
        f'<th scope="col"{_kind(n, texts)}>{text(title)}</th>' for n, title in enumerate(header)
    )
    body = "\n".join(f"<tr>{_row(cells, texts)}</tr>" for cells in rows)
    kind = f' class="{name}"' if name else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{text(caption)}">'
        f"<table{kind}><caption>{text(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def details(summary: str, content: str) -> str:
    """Something that opens on demand."""
    return f"<details><summary>{text(summary)}</summary>\n{content}</details>"


def paragraph(told: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{text(told)}</p>' if kind else f"<p>{text(told)}</p>"


def _row(cells: Sequence[str], texts: Sequence[int]) -> str:
    first, *rest = cells
    return f'<th scope="row"{_kind(0, texts)}>{first}</th>' + "".join(
        f"<td{_kind(n, texts)}>{cell}</td>" for n, cell in enumerate(rest, start=1)
    )


def _kind(column: int, texts: Sequence[int]) -> str:
    return ' class="text"' if column in texts else ""
