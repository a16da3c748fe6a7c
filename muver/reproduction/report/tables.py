"""The results as HTML: recall with intervals and verdicts, and the other tables of their pages."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from muver.look import ASSETS as SHARED
from muver.reproduction.report.results import Addresses, Result
from muver.reproduction.tables.page import RULE, Section
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import RecallTable, ViewsTable
from muver.reproduction.tables.render import KEY, environment

ASSETS = Path(__file__).with_name("assets")
BASE = "http://127.0.0.1:5000"  # where `make audit` opens the user interface
QUALIFIED = re.compile(r"([+-]?[\d.]+) (\(.*)")  # a number, and in brackets what is said of it


def templates() -> Any:
    """The page's templates, with what they share."""
    made = environment(ASSETS, SHARED)
    made.globals.update(rule=RULE, base=BASE, split=split)
    return made


def tables(results: Sequence[Result], drawings: Mapping[str, str], addresses: Addresses) -> Markup:
    """A part of the page for each result, with its drawing first where it has one."""
    make = templates().get_template("results.html").module.result
    return Markup("\n").join(
        make(result, Markup(drawings.get(result.name, "")), addresses, _shown(result))
        for result in results
    )


def _shown(result: Result) -> dict[str, Any]:
    """The sections of a result, and what stands in which columns of the first one.

    A key that all lines share stands once, below them.
    """
    if result.table is None:
        return {}
    main, *further = page_of(result.table).sections
    keys = [n for n, name in enumerate(main.header) if name.startswith(KEY)]
    values = {row[n] for row in main.rows for n in keys}
    shared = values.pop() if len(values) == 1 and len(main.rows) > 1 else ""
    recall = _recall_columns(result, main)
    parts = [part for row in result.table.rows for part in row.sets.values()] if recall else []
    return {
        "main": main,
        "further": further,
        "keys": keys,
        "shared": shared,
        "columns": [n for n in range(len(main.header)) if not (shared and n in keys)],
        "recall": recall,
        "judged": any(part.published for part in parts),
    }


def _recall_columns(result: Result, main: Section) -> dict[int, tuple[str, int]]:
    """Set and cutoff of each column that has a row's recall; Table 3 has two rows in a line."""
    table = result.table
    if not isinstance(table, RecallTable) or isinstance(table, ViewsTable):
        return {}
    columns = [(one.set, k) for one in table.sets for k in table.cutoffs]
    return dict(enumerate(columns, start=len(main.header) - 1 - len(columns)))


def split(text: str) -> tuple[str, list[str]] | None:
    """A number, and the lines of what stands in brackets after it."""
    found = QUALIFIED.fullmatch(text)
    return found and (found[1], re.split(r"(?<=\)), |; ", found[2]))
