"""A table for a terminal: its grid, and the paper's contrasts in words."""

import csv
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.text import aligned
from muver.reproduction.tables.numbers import probability
from muver.reproduction.tables.page import TEXT_COLUMNS
from muver.reproduction.tables.records import Contrast, RecallTable, read_result

SPOKEN = (16, 64)  # cutoffs whose contrasts are printed; of a table without them, the last
SURE = 0.05  # p-values below it tell two rows apart
NARROWEST = 100  # columns

Grid = Sequence[Sequence[str]]


def show(names: Sequence[str], results: Path = Path("results")) -> None:
    """Print tables of a results folder, and where there is more to see."""
    width = max(shutil.get_terminal_size().columns, NARROWEST)
    for name in names:
        print(in_terminal(name, results, width))
    print(_further(names, results), flush=True)


def in_terminal(name: str, results: Path, width: int) -> str:
    """A table's caption, its grid and the paper's contrasts in words, if it has any.

    Parameters
    ----------
    results
        Folder with ``<name>.csv`` and ``<name>.json``.
    width
        Characters that a line may have.
    """
    file = results / f"{name}.csv"
    if not file.is_file():
        made = _made(results)
        raise InputError(
            f"{file}: no such table.{did_you_mean(name, made)} There are: "
            f"{', '.join(made) or 'none'}. `snakemake --cores all results/NAME.csv` makes one."
        )
    with file.open(encoding="utf-8", newline="") as lines:
        grid = list(csv.reader(lines))
    table = read_result(file.with_suffix(".json"))
    title = ", ".join(filter(None, [table.caption, getattr(table, "dataset", "")]))
    contrasts = _contrasts(table, width) if isinstance(table, RecallTable) else ()
    return "\n\n".join([title, *map(_aligned, _blocks(grid, width)), *contrasts]) + "\n"


def _blocks(grid: Grid, width: int) -> Iterator[Grid]:
    """The grid, where it is too wide in blocks that each begin with its first column.

    Keys of rows are left out of blocks, as nobody reads across them.
    """
    first, *columns = zip(*grid, strict=True)
    if _width([first, *columns]) > width:
        columns = [column for column in columns if not column[0].startswith("row_key")]
    block = [first]
    for column in columns:
        if len(block) > 1 and _width([*block, column]) > width:
            yield list(zip(*block, strict=True))
            block = [first]
        block.append(column)
    yield list(zip(*block, strict=True))


def _width(columns: Grid) -> int:
    """Characters of a line, with two spaces between columns."""
    return sum(max(map(len, column)) + 2 for column in columns) - 2


def _aligned(grid: Grid) -> str:
    """Texts aligned left and numbers right."""
    right = [n for n, name in enumerate(grid[0]) if name not in TEXT_COLUMNS]
    return "\n".join(aligned(grid, right))


def _contrasts(table: RecallTable, width: int) -> Iterator[str]:
    """A paragraph for each cutoff printed, and for each set or domain if there are several."""
    methods = {row.system: row.method for row in table.rows}
    told = [k for k in SPOKEN if k in table.cutoffs] or table.cutoffs[-1:]
    for name, k in product(dict.fromkeys(one.column for one in table.contrasts), told):
        lines = [f"The paper's contrasts at {k}{f', {name}' if name else ''}:"]
        for one in table.contrasts:
            if one.column == name:
                said = sentence(one, *(methods[system] for system in one.systems), k)
                lines += textwrap.wrap(said, width, initial_indent="  ", subsequent_indent="    ")
        yield "\n".join(lines)


def sentence(contrast: Contrast, first: str, second: str, k: int) -> str:
    """The difference of two rows at a cutoff in words: which finds more, if that can be said."""
    points, chance = contrast.difference[k], contrast.p_value[k]
    if chance < SURE:
        more = "more" if points > 0 else "fewer"
        said = f"{first} finds {abs(points):.2f} points {more} than {second}, {probability(chance)}"
    else:
        said = f"cannot tell {first} from {second}: {points:+z.2f} points, {probability(chance)}"
    if k in contrast.verdict:
        said += f"; the paper's {contrast.paper[k]:+z.2f}: {contrast.verdict[k]}"
    return said


def _made(results: Path) -> list[str]:
    return sorted(file.stem for file in results.glob("*.csv"))


def _further(names: Sequence[str], results: Path) -> str:
    """Where there is more to see."""
    pages = ", ".join(str(results / f"{name}.md") for name in names)
    lines = [f"With intervals and tests: {pages}. Recorded rows: make audit."]
    page = results / "report.html"
    if page.is_file():
        lines.append(f"All tables and single predictions: {page}, in a browser.")
    else:
        lines.append("Every other table and the page of single predictions: make results.")
    if others := [name for name in _made(results) if name not in names]:
        lines.append(f"Also made, for muver show: {', '.join(others)}.")
    return "\n".join(lines)
