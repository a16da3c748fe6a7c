"""The table stage: writes a table from evaluations, counts or an encoder's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.typed import Settings, read
from muver.reproduction.tables import comparison, domains, parameters, statistics, views
from muver.reproduction.tables import settings as kinds
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.render import write_table

NAMES = ("table1", "table2", "table3", "table4", "table5", "table6")  # of the paper
# The settings and module of each table that is not a comparison. A module builds a table as data
# (build) and lays it out for people (page).
KINDS: dict[str, tuple[type[Settings], ModuleType]] = {
    "table3": (kinds.Views, views),
    "table4": (kinds.Statistics, statistics),
    "table5": (kinds.Parameters, parameters),
    "table6": (kinds.Domains, domains),
}


def make_table(
    name: str,
    evaluations: Sequence[Path],
    out: Path,
    settings: Mapping[str, Any],
    counts: Path | None = None,
    encoder: Path | None = None,
    show: bool = False,
) -> None:
    """Write ``out`` (.csv) and next to it the table as .md, .html, .tex and .json.

    Parameters
    ----------
    name
        One of :data:`NAMES`, or any other name for a comparison with a ``caption``.
    evaluations
        Evaluations, next to their gold ranks; none for Tables 4 and 5.
    settings
        Settings of the table's kind (:mod:`muver.reproduction.tables.settings`).
    counts
        The corpus's counts: the numbers of Table 4, and for other tables the worlds without
        mentions.
    encoder
        Directory of the encoder in use, which gets a row in Table 5.
    show
        Also print the table in Markdown.
    """
    kind, module = KINDS.get(name, (kinds.Comparison, comparison))
    given = read(kind, settings)
    caption = getattr(given, "caption", None) or _caption(name)
    table = module.build(name, caption, given, TableFiles(evaluations, counts, encoder))
    write_table(out, table, module.page(table), show)


def _caption(name: str) -> str:
    if name not in NAMES:
        raise InputError(
            f"--name: no table is called {name!r}.{did_you_mean(name, NAMES)} Known: "
            f"{', '.join(NAMES)}. Any other name makes a comparison of rows if its settings have "
            "a caption."
        )
    return paper()[name]["caption"]
