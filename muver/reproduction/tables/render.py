"""Writes tables in every form: CSV for programs, Markdown, HTML and LaTeX for people."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.reproduction.tables.html import to_html
from muver.reproduction.tables.latex import to_latex
from muver.reproduction.tables.page import TEXT_COLUMNS, Page, Section
from muver.reproduction.tables.records import Result


def write_table(out: Path, table: Result, page: Page, show: bool = False) -> None:
    """Write ``out`` (.csv) and next to it the table as .md, .html, .tex and .json.

    Parameters
    ----------
    table, page
        The table as data and for people.
    show
        Also print the Markdown.
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
