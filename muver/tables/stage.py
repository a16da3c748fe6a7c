"""The table stage: evaluations, counts or a configuration to the files of a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.typed import read
from muver.tables import comparison, domains, parameters, statistics, views
from muver.tables import settings as kinds
from muver.tables.evaluations import read_counts
from muver.tables.latex import to_latex
from muver.tables.page import Page
from muver.tables.paper import paper
from muver.tables.render import to_csv, to_html, to_markdown

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
) -> str:
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

    Returns
    -------
    The table in Markdown.

    Raises
    ------
    InputError
        For a name, setting or file that does not fit.
    """
    if out.suffix != ".csv":
        raise InputError(f"--out: {out} must end in .csv; the other formats come beside it.")
    table, page = _make(name, evaluations, settings, counts, encoder)
    markdown = to_markdown(page)
    write_json(out.with_suffix(".json"), table)
    write_text(out.with_suffix(".md"), markdown)
    write_text(out.with_suffix(".html"), to_html(page))
    write_text(out.with_suffix(".tex"), to_latex(page, name))
    write_text(out, to_csv(page))
    return markdown


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
