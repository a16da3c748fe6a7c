"""The results of one run as Markdown, below a heading of their own."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.report.results import OPEN, caption_of, in_order
from muver.tables.page import Section
from muver.tables.render import markdown_grid

IDENTITY = ("dataset", "fingerprint")


def read_tables(results: Path, only: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
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
    files = [results / f"{name}.json" for name in only] or results.glob("*.json")
    found = {path.stem: read_json(path) for path in files}
    tables = {
        name: table
        for name, table in found.items()
        if isinstance(table, dict) and isinstance(table.get("rows"), list)
    }
    if not tables:
        raise InputError(f"{results}: no result is in it. Make them: snakemake --cores all")
    for key in IDENTITY:
        values = {table[key]: name for name, table in tables.items() if key in table}
        if len(values) > 1:
            owners = ", ".join(f"{name} has {value!r}" for value, name in values.items())
            raise InputError(f"{results}: results of two runs ({key}: {owners}). Make them again.")
    return {name: tables[name] for name in in_order([*tables])}


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
    caption = caption_of(name, read_json(results / f"{name}.json"))
    return f"### {caption}\n\n{markdown_grid(Section('', '', header, rows))}"
