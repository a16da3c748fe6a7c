"""The results of one run as Markdown, below a heading of their own."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.grid.render import markdown_grid
from muver.io.errors import InputError
from muver.io.files import read_json

IDENTITY = ("dataset", "fingerprint")
TESTS = ("## The paper's contrasts", "## Paired tests")  # how headings of comparisons begin


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
    tables = {name: table for name, table in found.items() if _is_result(table)}
    if not tables:
        raise InputError(f"{results}: no result is in it. Make them: snakemake --cores all")
    for key in IDENTITY:
        values = {table[key]: name for name, table in tables.items() if key in table}
        if len(values) > 1:
            told = ", ".join(f"{name} has {value!r}" for value, name in values.items())
            raise InputError(f"{results}: results of two runs ({key}: {told}). Make them again.")
    return {name: tables[name] for name in sorted(tables, key=_place)}


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("rows"), list)


def _place(name: str) -> tuple[int, str]:
    for n, kind in enumerate(("table", "figure")):
        if name.startswith(kind):
            return n, name
    return 2, name


def table_text(results: Path, name: str) -> str:
    """A result's own Markdown two levels down.

    All but the table itself and the comparisons of its rows is folded away. A result without
    Markdown (a figure) is shown by its CSV.
    """
    page = results / f"{name}.md"
    if not page.is_file():
        return _figure_text(results, name)
    text = page.read_text(encoding="utf-8")
    main, *further = re.split(r"^(?=## )", text.strip(), flags=re.MULTILINE)
    main = re.sub(r"^# ", "### ", main).strip()
    tests = [part for part in further if part.startswith(TESTS)]
    main = "\n\n".join([main, *(f"##{part}".strip() for part in tests)])
    further = [part for part in further if part not in tests]
    if not further:
        return main
    headings = [part.splitlines()[0].removeprefix("## ") for part in further]
    folded = "\n\n".join(f"##{part}".strip() for part in further)
    return f"{main}\n\n<details><summary>{'; '.join(headings)}</summary>\n\n{folded}\n\n</details>"


def _figure_text(results: Path, name: str) -> str:
    caption = read_json(results / f"{name}.json").get("caption", name)
    try:
        with open(results / f"{name}.csv", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    except (OSError, ValueError):
        raise InputError(f"{results / name}: neither .md nor .csv. Make it again.") from None
    number = name.removeprefix("figure")
    title = f"Figure {number}: {caption}" if name.startswith("figure") else caption
    return f"### {title}\n\n{markdown_grid(header, rows)}"
