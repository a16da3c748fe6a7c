"""The table stage: write a table from evaluations, counts or an encoder's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.typed import read
from muver.tables import comparison, domains, parameters, statistics, views
from muver.tables import settings as kinds
from muver.tables.evaluations import read_counts
from muver.tables.page import Page
from muver.tables.paper import paper
from muver.tables.render import write_table

Table = dict[str, Any]
NAMES = ("table1", "table2", "table3", "table4", "table5", "table6")  # of the paper
# Tables of evaluations by name: settings, builder and page. Any other name is a comparison.
OF_EVALUATIONS = {
    "table3": (kinds.Views, views.build, views.page),
    "table6": (kinds.Domains, domains.build, domains.page),
}
COMPARISON = (kinds.Comparison, comparison.build, comparison.page)


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
    table, page = _make(name, evaluations, settings, counts, encoder)
    write_table(out, table, page, show)


def _make(
    name: str,
    evaluations: Sequence[Path],
    settings: Mapping[str, Any],
    counts: Path | None,
    encoder: Path | None,
) -> tuple[Table, Page]:
    if name == "table4":
        given = read(kinds.Statistics, settings)
        if counts is None:
            raise InputError(f"--counts: {name} is made of the corpus's counts; none were given.")
        table = statistics.build(name, _caption(name), given, read_counts(counts))
        return table, statistics.page(table)
    if name == "table5":
        read(kinds.Parameters, settings)
        table = parameters.build(name, _caption(name), encoder)
        return table, parameters.page(table)
    kind, build, page = OF_EVALUATIONS.get(name, COMPARISON)
    given = read(kind, settings)
    caption = getattr(given, "caption", None) or _caption(name)
    table = build(name, caption, given, evaluations, counts)
    return table, page(table)


def _caption(name: str) -> str:
    if name not in NAMES:
        raise InputError(
            f"--name: no table is called {name!r}.{did_you_mean(name, NAMES)} Known: "
            f"{', '.join(NAMES)}. Any other name makes a comparison of rows if its settings have "
            "a caption."
        )
    return paper()[name]["caption"]
