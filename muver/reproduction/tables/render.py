"""Writes a result in every form: CSV for programs; Markdown, HTML, LaTeX, lines of a terminal."""

import csv
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tabulate import tabulate

from muver.io.errors import InputError, choices
from muver.io.files import write_json, write_text
from muver.io.text import probability, visible
from muver.reproduction.tables.cells import Page, Section
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import Contrast, Result, Table, read_result, result_names
from muver.reproduction.tables.sections import contrasted

TEMPLATES = Path(__file__).with_name("templates")
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
    write_text(out.with_suffix(".csv"), to_csv(page.sections[0]))


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header and rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def to_csv(section: Section) -> str:
    """A section as CSV."""
    return csv_text(section.header, section.rows)


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
    return latex.get_template("float.tex").render(page=page, section=section, label=label)


def escape(text: str) -> str:
    """Text on one line, with TeX's special characters escaped.

    >>> print(escape("# of Views: 100% of a_b"))
    \\# of Views: 100\\% of a\\_b
    """
    signs = "".join(ESCAPED.get(sign, sign) for sign in visible(" ".join(text.split())))
    return signs.replace("--", "-{}-")  # TeX would turn them into a dash


SPOKEN = (16, 64)  # cutoffs whose contrasts are printed; of a table without them, the last
SURE = 0.05  # p-values below it tell two rows apart
NARROWEST = 100  # columns


def show(names: Sequence[str] = ("table1",), *, results: Path = Path("results")) -> None:
    """Print tables with contrasts in words.

    Below them stands where intervals, tests and single predictions are.

    Parameters
    ----------
    names
        Tables that were made.
    """
    print_tables(names, results)


def print_tables(names: Sequence[str], results: Path, folder: Path = Path()) -> None:
    """Print tables; ``folder`` is this one, as the reader who stands in another one calls it."""
    width = max(shutil.get_terminal_size().columns, NARROWEST)
    for name in names:
        print(in_terminal(name, results, width))
    # In the datasets' folders, to which the links in results/ lead.
    files = [results / f"{name}.json" for name in names]
    tables = [file.parent / file.readlink() if file.is_symlink() else file for file in files]
    more = [file.with_suffix(".md") for file in tables]  # a figure has none
    if more := [str(folder / file) for file in more if file.is_file()]:
        print(f"With intervals and tests: {', '.join(more)}.")
    if Path("mlflow.db").is_file() or "MLFLOW_TRACKING_URI" in os.environ:
        print(f"Recorded rows: {'make' if Path('Makefile').is_file() else 'muver'} audit.")
    pages = dict.fromkeys(file.parent / "report.html" for file in tables)
    if there := [str(folder / page) for page in pages if page.is_file()]:
        print(f"All tables and single predictions: {', '.join(there)}, in a browser.")
    sys.stdout.flush()


def in_terminal(name: str, results: Path, width: int) -> str:
    """A table of a results folder and its contrasts in words, in lines of ``width``."""
    file = results / f"{name}.json"
    if not file.is_file():
        known = result_names(results)
        raise InputError(
            f"{file}: no such table.{choices(name, known)} `snakemake --cores all "
            "results/NAME.csv` makes one."
        )
    table = read_result(file)
    page = page_of(table)
    contrasts = _contrasts(table, width) if isinstance(table, Table) else ()
    grid = _blocks(page.sections[0], width)
    return "\n\n".join([page.title, *grid, *contrasts]) + "\n"


def _blocks(section: Section, width: int) -> Iterator[str]:
    """The table, where it is too wide in blocks that each begin with its first column.

    Keys of rows are left out of blocks, as nobody reads across them, which a last line says.
    """
    whole = _aligned(section)
    if _width(whole) <= width:
        yield whole
        return
    shown = [0]
    for n in range(1, len(section.header)):
        if n not in section.keys:
            if len(shown) > 1 and _width(_aligned(section.only([*shown, n]))) > width:
                yield _aligned(section.only(shown))
                shown = [0]
            shown.append(n)
    yield _aligned(section.only(shown))
    if section.keys:
        left_out = ", ".join(section.header[n] for n in section.keys)
        yield f"Too wide for this terminal, but in the CSV: {left_out}."


def _aligned(section: Section) -> str:
    align = ["right" if number else "left" for number in section.numbers]
    rows = [section.header, *section.rows]
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=align)


def _width(text: str) -> int:
    return max(map(len, text.splitlines()))


def _contrasts(table: Table, width: int) -> Iterator[str]:
    """A paragraph for each cutoff printed, and for each set or domain if there are several."""
    cutoffs = [k for k in SPOKEN if k in table.cutoffs] or table.cutoffs[-1:]
    paragraphs: dict[tuple[str, int], list[str]] = {}
    for by_k in contrasted(table, "contrast"):
        for k in cutoffs:
            contrast = by_k[k]
            methods = (table.row(system).method for system in (contrast.first, contrast.second))
            words = sentence(contrast, *methods)
            lines = textwrap.wrap(words, width, initial_indent="  ", subsequent_indent="    ")
            part = contrast.world or table.columns[contrast.set]
            paragraphs.setdefault((part, k), []).extend(lines)
    for (name, k), lines in paragraphs.items():
        yield "\n".join([f"Contrasts at {k}{f', {name}' if name else ''}:", *lines])


def sentence(contrast: Contrast, first: str, second: str) -> str:
    """The difference of two rows in words: which finds more, if that can be words."""
    points, chance = contrast.difference, contrast.p_value
    if chance < SURE:
        more = "more" if points > 0 else "fewer"
        words = (
            f"{first} finds {abs(points):.2f} points {more} than {second}, {probability(chance)}"
        )
    else:
        words = f"cannot tell {first} from {second}: {points:+z.2f} points, {probability(chance)}"
    if contrast.verdict:
        words += f"; the paper's {contrast.paper:+z.2f}: {contrast.verdict}"
    return words
