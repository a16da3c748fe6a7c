"""The table stage: write a table from evaluations, counts or an encoder's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.typed import Settings, read
from muver.tables import comparison, domains, parameters, statistics, views
from muver.tables import settings as kinds
from muver.tables.evaluations import TableFiles
from muver.tables.paper import paper
from muver.tables.render import write_table

NAMES = ("table1", "table2", "table3", "table4", "table5", "table6")  # of the paper
# The settings and the module of each table that is no comparison; a module builds a table as data
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
    """Write ``out`` (.csv) and beside it the table as .md, .html, .tex and .json.

    Parameters
    ----------
    name
        One of :data:`NAMES`, or any other for a comparison whose settings have a ``caption``.
    evaluations
        What the evaluate stage wrote, with the gold ranks beside each; none for tables 4 and 5.
    settings
        Those of its kind (:mod:`muver.tables.settings`).
    counts
        The corpus's counts: what Table 4 is made of. Others learn from them which worlds have no
        mentions.
    encoder
        Directory of the encoder in use, for a row of its own in Table 5.
    show
        Print the table in Markdown as well.

    Raises
    ------
    InputError
        For a name, setting or file that does not fit.
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
