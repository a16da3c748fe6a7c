"""Writes tables as text: CSV for programs, Markdown and HTML for people."""

import csv
import html
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.tables.latex import to_latex
from muver.tables.page import Page, Section
from muver.tables.records import Result

TEXT_COLUMNS = frozenset(  # other columns hold numbers, aligned right
    {"method", "Domain", "row_key", "row_key (close)", "search", "merging", "verdict", "Model"}
    | {"Dataset", "Split", "KB", "World", "Set", "Index"}
    | {"sentences", "hyper-parameter", "chosen"}
)
STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; color: #222; margin: 2em auto; max-width: 72em;
  padding: 0 1em; }
h1 { font-size: 1.35em; } h2 { font-size: 1.1em; margin-top: 2em; }
p { color: #555; max-width: 50em; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3em .7em; text-align: right; white-space: nowrap; }
th.text, td.text { text-align: left; }
thead th { border-top: 2px solid #222; border-bottom: 1px solid #222; }
tbody tr:last-child td { border-bottom: 2px solid #222; }
tbody tr:hover { background: #f3f6fa; }
"""


def write_table(out: Path, table: Result, page: Page, show: bool = False) -> None:
    """Write ``out`` (.csv) and next to it the table as .md, .html, .tex and .json.

    Parameters
    ----------
    table, page
        The table as data and for people.
    show
        Also print the Markdown.

    Raises
    ------
    InputError
        If ``out`` does not end in .csv.
    """
    if out.suffix != ".csv":
        raise InputError(f"--out: {out} must end in .csv; the other formats go next to it.")
    markdown = to_markdown(page)
    write_json(out.with_suffix(".json"), table)
    write_text(out.with_suffix(".md"), markdown)
    write_text(out.with_suffix(".html"), to_html(page))
    write_text(out.with_suffix(".tex"), to_latex(page, table.name))
    main = page.sections[0]
    write_text(out, csv_text(main.header, main.rows))
    if show:
        print(markdown, end="")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header and rows as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def to_markdown(page: Page) -> str:
    """A page in Markdown with aligned columns and the best numbers in bold."""
    parts = [f"# {page.title}"]
    for section in page.sections:
        heading = [f"## {section.heading}"] if section.heading else []
        parts += [*heading, section.note, markdown_grid(section)]
        parts += [f"[{letter}] {text}" for letter, text in section.footnotes.items()]
    return "\n\n".join(parts) + "\n"


def to_html(page: Page) -> str:
    """A page as one self-contained HTML file."""
    parts = [f"<h1>{html.escape(page.title)}</h1>"]
    for section in page.sections:
        if section.heading:
            parts.append(f"<h2>{html.escape(section.heading)}</h2>")
        parts += [f"<p>{html.escape(section.note)}</p>", _html_grid(section)]
        parts += [
            f"<p><sup>{letter}</sup> {html.escape(text)}</p>"
            for letter, text in section.footnotes.items()
        ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(page.title)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        "<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def markdown_grid(section: Section) -> str:
    """A section's grid in Markdown, texts aligned left and numbers right."""
    cells = [
        [
            f"**{text}**" if (row, column) in section.best else text.replace("|", "\\|")
            for column, text in enumerate(texts)
        ]
        for row, texts in enumerate(section.rows)
    ]
    for row, letter in section.marks.items():
        cells[row][0] += f" [{letter}]"
    columns = list(zip(section.header, *cells, strict=True))
    widths = [max(len(text) for text in column) for column in columns]
    left = {n for n, name in enumerate(section.header) if name in TEXT_COLUMNS}

    def line(texts: list[str]) -> str:
        padded = [
            text.ljust(width) if column in left else text.rjust(width)
            for column, (text, width) in enumerate(zip(texts, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * width if column in left else "-" * (width - 1) + ":"
        for column, width in enumerate(widths)
    ]
    return "\n".join([line(section.header), line(rule), *map(line, cells)])


def _html_grid(section: Section) -> str:
    def cell(tag: str, column: int, content: str) -> str:
        kind = ' class="text"' if section.header[column] in TEXT_COLUMNS else ""
        return f"<{tag}{kind}>{content}</{tag}>"

    def content(row: int, column: int, text: str) -> str:
        shown = html.escape(text)
        if column == 0 and row in section.marks:
            shown += f"<sup>{section.marks[row]}</sup>"
        return f"<strong>{shown}</strong>" if (row, column) in section.best else shown

    head = "".join(cell("th", n, html.escape(name)) for n, name in enumerate(section.header))
    body = "\n".join(
        "".join(["<tr>", *(cell("td", n, content(row, n, text)) for n, text in enumerate(texts))])
        for row, texts in enumerate(section.rows)
    )
    return (
        f"<div><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )
