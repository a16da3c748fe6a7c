"""Tables as HTML: on a page of their own, and for the page of all results."""

import html
from collections.abc import Sequence

from muver.reproduction.tables.page import TEXT_COLUMNS, Page, Section

STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; color: #222; margin: 2em auto; max-width: 72em;
  padding: 0 1em; }
h1 { font-size: 1.35em; } h2 { font-size: 1.1em; margin-top: 2em; }
p { color: #555; max-width: 50em; }
.scroll { overflow-x: auto; }
caption { display: none; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3em .7em; text-align: right; white-space: nowrap; }
tbody th { font-weight: normal; }
th.text, td.text { text-align: left; }
thead th { border-top: 2px solid #222; border-bottom: 1px solid #222; }
tbody tr:last-child > * { border-bottom: 2px solid #222; }
tbody tr:hover { background: #f3f6fa; }
"""


def text(value: object) -> str:
    """Text for element content and for attributes in double quotes.

    >>> text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(str(value))


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


def cell(section: Section, row: int, column: int) -> str:
    """A cell as HTML: the best numbers in bold, the letter of a footnote after a row's name."""
    content = text(section.rows[row][column])
    if column == 0 and row in section.marks:
        content += f"<sup>{section.marks[row]}</sup>"
    return f'<b class="best">{content}</b>' if (row, column) in section.best else content


def texts(header: Sequence[str]) -> list[int]:
    """The columns that hold texts."""
    return [n for n, name in enumerate(header) if name in TEXT_COLUMNS]


def to_html(page: Page) -> str:
    """A page as one self-contained HTML file."""
    parts = [f"<h1>{text(page.title)}</h1>"]
    for section in page.sections:
        if section.heading:
            parts.append(f"<h2>{text(section.heading)}</h2>")
        columns = range(len(section.header))
        rows = [[cell(section, row, n) for n in columns] for row in range(len(section.rows))]
        caption = section.heading or page.title
        parts += [
            f"<p>{text(section.note)}</p>",
            grid(caption, section.header, rows, texts(section.header)),
            *(
                f"<p><sup>{letter}</sup> {text(note)}</p>"
                for letter, note in section.footnotes.items()
            ),
        ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{text(page.title)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        "<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )
