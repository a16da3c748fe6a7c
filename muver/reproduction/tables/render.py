"""Writes a result in every form: CSV for programs; Markdown, HTML and LaTeX for people."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tabulate import tabulate

from muver.io.files import write_json, write_text
from muver.io.text import visible
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import Result

TEMPLATES = Path(__file__).with_name("templates")
KEY = "row_key"  # columns that start with this lead to runs
MARKUP = re.compile(r"[|]|<(?=[\w/!?])|\](?=\()")  # what a cell of Markdown can't have as it is
LATEX = {  # what templates are marked with, as TeX has the usual braces
    "block_start_string": "<%", "block_end_string": "%>", "comment_start_string": "<#",
    "variable_start_string": "<<", "variable_end_string": ">>",
}  # fmt: skip
ESCAPED = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # works in every font encoding
    "±": r"\ensuremath{\pm}",
}


def write_table(out: Path, table: Result) -> None:
    """Write ``out`` (.csv), and beside it the result as .md, .html, .tex and .json."""
    page = page_of(table)
    write_json(out.with_suffix(".json"), table)
    write_text(out.with_suffix(".md"), to_markdown(page))
    write_text(out.with_suffix(".html"), to_html(page))
    write_text(out.with_suffix(".tex"), to_latex(page, table.name))
    write_text(out.with_suffix(".csv"), csv_text(page.sections[0].header, page.sections[0].rows))


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header and rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def to_markdown(page: Page, level: int = 1) -> str:
    """A page in Markdown with headings from ``level`` on, the best numbers in bold."""
    parts = [f"{'#' * level} {page.title}"]
    for section in page.sections:
        parts += [f"{'#' * level}# {section.heading}"] if section.heading else []
        parts += _section_markdown(section)
    return "\n\n".join(parts) + "\n"


def _section_markdown(section: Section) -> list[str]:
    cells = [[MARKUP.sub(r"\\\g<0>", visible(text)) for text in texts] for texts in section.rows]
    for row, column in section.best:
        cells[row][column] = f"**{cells[row][column]}**"
    for row, letter in section.marks.items():
        cells[row][0] += f" [{letter}]"
    align = ["right" if number else "left" for number in section.numbers]
    grid = tabulate(cells, section.header, "pipe", disable_numparse=True, colalign=cells and align)
    notes = [f"[{letter}] {text}" for letter, text in section.footnotes.items()]
    return [*filter(None, [section.note]), grid, *notes]


def environment(*folders: Path) -> Environment:
    """Templates for HTML, in which every text is escaped; ``folders`` are looked through first."""
    return Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def to_html(page: Page) -> str:
    """A page as one self-contained HTML file."""
    return environment().get_template("table.html").render(page=page)


def to_latex(page: Page, label: str) -> str:
    """The first section of a page, the table itself, as a float for a paper.

    It needs only ``\\usepackage{booktabs}``. The rows' keys are comments at the end of their lines.
    """
    latex = environment().overlay(autoescape=False, **LATEX)
    latex.filters["tex"] = escape
    section = page.sections[0]
    keys = [n for n, name in enumerate(section.header) if name.startswith(KEY)]
    shown = [n for n in range(len(section.header)) if n not in keys]
    return latex.get_template("float.tex").render(
        page=page, section=section, label=label, keys=keys, shown=shown
    )


def escape(text: str) -> str:
    """Text on one line, with TeX's special characters escaped.

    >>> print(escape("# of Views: 100% of a_b"))
    \\# of Views: 100\\% of a\\_b
    """
    signs = "".join(ESCAPED.get(sign, sign) for sign in visible(" ".join(text.split())))
    return signs.replace("--", "-{}-")  # TeX would turn them into a dash
