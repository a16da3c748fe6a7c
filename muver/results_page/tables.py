"""The results of one run as Markdown, below a heading of their own."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from muver.evaluation.lengths import Bin
from muver.io.errors import InputError
from muver.report.results import OPEN, caption_of, in_order, result_names
from muver.tables.numbers import percent
from muver.tables.page import Section
from muver.tables.records import AnyResult, LengthsFigure, read_result
from muver.tables.render import markdown_grid

IDENTITY = ("dataset", "fingerprint")


def read_tables(results: Path, only: Sequence[str] = ()) -> dict[str, AnyResult]:
    """The JSON of every result in a folder, by its name: tables, then figures, then the rest.

    Parameters
    ----------
    only
        Names to which they are limited.

    Raises
    ------
    InputError
        If there is none, one of ``only`` is not there, or they are of two datasets.
    """
    files = [results / f"{name}.json" for name in only or result_names(results)]
    tables = {path.stem: read_result(path) for path in files}
    if not tables:
        raise InputError(f"{results}: no result is in it. Make them: snakemake --cores all")
    for key in IDENTITY:
        values = {
            getattr(table, key): name for name, table in tables.items() if hasattr(table, key)
        }
        if len(values) > 1:
            owners = ", ".join(f"{name} has {value!r}" for value, name in values.items())
            raise InputError(f"{results}: results of two runs ({key}: {owners}). Make them again.")
    return {name: tables[name] for name in in_order([*tables])}


def texts(results: Path, tables: Mapping[str, AnyResult]) -> list[str]:
    """The tables' texts, in their order; several figures by length stand side by side in one."""
    lengths = [name for name, table in tables.items() if isinstance(table, LengthsFigure)]
    if len(lengths) < 2:
        return [table_text(results, name) for name in tables]
    alone = [table_text(results, name) for name in tables if name not in lengths]
    return [*alone, recall_by_length([tables[name] for name in lengths])]


def recall_by_length(figures: Sequence[LengthsFigure]) -> str:
    """Recall of all systems of some figures by number of sentences, without empty bins.

    Raises
    ------
    InputError
        If they differ in their mentions, cutoff or bins.
    """
    first = figures[0]
    bins = [one for one in first.bins if one.mentions]
    columns = {}
    for figure in figures:
        own = [one for one in figure.bins if one.mentions]
        if figure.cutoff != first.cutoff or list(map(_bin, own)) != list(map(_bin, bins)):
            raise InputError(
                f"{first.name} and {figure.name}: of other cutoffs or bins, which do not "
                "stand in one table. Give both the same in params.yaml, or show them apart."
            )
        for n, row in enumerate(figure.rows):
            found = [percent(one.mentions - one.errors[n], one.mentions) for one in own]
            columns[row.system] = [row.method, *found]
    header, *rows = zip(
        ("sentences", *(f"{one.first}-{one.last}" for one in bins)),
        ("mentions", *(str(one.mentions) for one in bins)),
        *columns.values(), strict=True,
    )  # fmt: skip
    caption = f"Recall@{first.cutoff} in percent by number of sentences"
    grid = markdown_grid(Section("", "", list(header), list(map(list, rows))))
    return f"### {caption}, {first.dataset}\n\n{grid}"


def _bin(one: Bin) -> tuple[int, int, int]:
    return one.first, one.last, one.mentions


def table_text(results: Path, name: str) -> str:
    """A result's own Markdown two levels down.

    The table itself and the comparisons of its rows stand open, the rest is folded away. A result
    without Markdown (a figure) is shown by its CSV.
    """
    page = results / f"{name}.md"
    if not page.is_file():
        return _figure_text(results, name)
    text = page.read_text(encoding="utf-8")
    main, *further = re.split(r"^(?=## )", text.strip(), flags=re.MULTILINE)
    main = re.sub(r"^# ", "### ", main)
    further = [f"##{part}".strip() for part in further]
    tests = [part for part in further if part.removeprefix("#### ").startswith(OPEN)]
    folded = [part for part in further if part not in tests]
    main = "\n\n".join([main.strip(), *tests])
    if not folded:
        return main
    headings = "; ".join(part.splitlines()[0].removeprefix("#### ") for part in folded)
    content = "\n\n".join(folded)
    return f"{main}\n\n<details><summary>{headings}</summary>\n\n{content}\n\n</details>"


def _figure_text(results: Path, name: str) -> str:
    try:
        with open(results / f"{name}.csv", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    except (OSError, ValueError):
        raise InputError(f"{results / name}: neither .md nor .csv. Make it again.") from None
    caption = caption_of(name, read_result(results / f"{name}.json").caption)
    return f"### {caption}\n\n{markdown_grid(Section('', '', header, rows))}"
