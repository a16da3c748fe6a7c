"""A table for a terminal, with its contrasts in words."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from tabulate import tabulate

from muver.io.errors import InputError, did_you_mean
from muver.io.text import probability
from muver.reproduction.tables.page import Section
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import Contrast, Table, read_result, result_names
from muver.reproduction.tables.render import KEY
from muver.reproduction.tables.sections import contrasted

SPOKEN = (16, 64)  # cutoffs whose contrasts are printed; of a table without them, the last
SURE = 0.05  # p-values below it tell two rows apart
NARROWEST = 100  # columns


def show(names: Sequence[str] = ("table1",), *, results: Path = Path("results")) -> None:
    """Print tables of a results folder, and where there is more to see.

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
    pages = dict.fromkeys(file.with_name("report.html") for file in tables)
    if there := [str(folder / page) for page in pages if page.is_file()]:
        print(f"All tables and single predictions: {', '.join(there)}, in a browser.")
    sys.stdout.flush()


def in_terminal(name: str, results: Path, width: int) -> str:
    """A table of a results folder and its contrasts in words, in lines of ``width``."""
    file = results / f"{name}.json"
    if not file.is_file():
        known = result_names(results)
        raise InputError(
            f"{file}: no such table.{did_you_mean(name, known)} There are: "
            f"{', '.join(known) or 'none'}. `snakemake --cores all results/NAME.csv` makes one."
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
    names = [*range(1, len(section.header))]
    keys = []
    if _width(section, names) > width:
        keys = [n for n in names if section.header[n].startswith(KEY)]
        names = [n for n in names if n not in keys]
    shown: list[int] = []
    for n in names:
        if shown and _width(section, [*shown, n]) > width:
            yield _columns(section, shown)
            shown = []
        shown.append(n)
    yield _columns(section, shown)
    if keys:
        left_out = ", ".join(section.header[n] for n in keys)
        yield f"Too wide for this terminal, but in the CSV: {left_out}."


def _columns(section: Section, columns: Sequence[int]) -> str:
    """The first column and some others, aligned."""
    rows = [[row[n] for n in (0, *columns)] for row in (section.header, *section.rows)]
    align = ["right" if section.numbers[n] else "left" for n in (0, *columns)]
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=align)


def _width(section: Section, columns: Sequence[int]) -> int:
    return max(map(len, _columns(section, columns).splitlines()))


def _contrasts(table: Table, width: int) -> Iterator[str]:
    """A paragraph for each cutoff printed, and for each set or domain if there are several."""
    columns = {contrast.set: contrast.column for contrast in table.sets}
    told = [k for k in SPOKEN if k in table.cutoffs] or table.cutoffs[-1:]
    paragraphs: dict[tuple[str, int], list[str]] = {}
    for by_k in contrasted(table, "contrast"):
        for k in told:
            contrast = by_k[k]
            methods = (table.row(system).method for system in (contrast.first, contrast.second))
            said = sentence(contrast, *methods)
            lines = textwrap.wrap(said, width, initial_indent="  ", subsequent_indent="    ")
            paragraphs.setdefault((contrast.world or columns[contrast.set], k), []).extend(lines)
    for (name, k), lines in paragraphs.items():
        yield "\n".join([f"Contrasts at {k}{f', {name}' if name else ''}:", *lines])


def sentence(contrast: Contrast, first: str, second: str) -> str:
    """The difference of two rows in words: which finds more, if that can be said."""
    points, chance = contrast.difference, contrast.p_value
    if chance < SURE:
        more = "more" if points > 0 else "fewer"
        said = f"{first} finds {abs(points):.2f} points {more} than {second}, {probability(chance)}"
    else:
        said = f"cannot tell {first} from {second}: {points:+z.2f} points, {probability(chance)}"
    if contrast.verdict:
        said += f"; the paper's {contrast.paper:+z.2f}: {contrast.verdict}"
    return said
