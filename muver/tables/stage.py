"""The table stage: evaluations, counts or a configuration to the files of a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean, with_defaults
from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.tables import comparison, domains, linking, parameters, statistics, views
from muver.tables.evaluations import read_counts, read_evaluations, read_rows
from muver.tables.latex import to_latex
from muver.tables.linked_evaluations import read_linked
from muver.tables.page import Page
from muver.tables.paper import linked_sets, paper
from muver.tables.render import to_csv, to_html, to_markdown

Made = tuple[dict[str, Any], Page]
NAMES = ("table1", "table2", "table3", "table4", "table5", "table6")  # of the paper


def make_table(
    name: str,
    evaluations: Sequence[Path],
    out: Path,
    settings: dict[str, Any],
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
        Comparisons: ``rows``, each ``{"method", "system", "repeats": [systems of further seeds]}``,
        ``against``, the system of the row that the others are tested against, or None, and
        ``contrasts``, pairs of systems, the first to be compared with the second if both are rows.
        Table 2: ``rows``, ``against``, ``contrasts`` and ``sets``, by default the paper's three.
        Table 3: ``rows``, each ``{"method", "system", "merge_layers", "search", "sweep_of"}``, and
        ``cutoff``. Table 4: ``source``, what the entities are taken from. Table 6: ``rows`` and
        ``contrasts``.
    counts
        The corpus's counts: what Table 4 is made of; to others they tell worlds without mentions.
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
    if name == "table4":
        table, page = _statistics(name, settings, counts)
    elif name == "table5":
        table, page = _parameters(name, settings, encoder)
    else:
        table, page = _of_evaluations(name, settings, evaluations, counts)
    markdown = to_markdown(page)
    write_json(out.with_suffix(".json"), table)
    write_text(out.with_suffix(".md"), markdown)
    write_text(out.with_suffix(".html"), to_html(page))
    write_text(out.with_suffix(".tex"), to_latex(page, name))
    write_text(out, to_csv(page))
    return markdown


def _statistics(name: str, settings: dict[str, Any], counts: Path | None) -> Made:
    source = with_defaults(settings, {"source": None})["source"]
    if counts is None:
        raise InputError(f"--counts: {name} is made of the corpus's counts; none were given.")
    table = statistics.build(name, paper()[name]["caption"], source, read_counts(counts))
    return table, statistics.page(table)


def _parameters(name: str, settings: dict[str, Any], encoder: Path | None) -> Made:
    with_defaults(settings, {})
    table = parameters.build(name, paper()[name]["caption"], encoder)
    return table, parameters.page(table)


def _of_evaluations(
    name: str, settings: dict[str, Any], files: Sequence[Path], counts: Path | None
) -> Made:
    if name == "table2":
        given = with_defaults(
            settings, {"rows": [], "against": None, "contrasts": [], "sets": [*linked_sets()]}
        )
        rows = read_rows(given["rows"], {})
        linked = read_linked(files, [row["system"] for row in rows], given["sets"])
        table = linking.build(
            name, paper()[name]["caption"], rows, given["against"], given["contrasts"], linked
        )
        return table, linking.page(table)
    if name == "table3":
        given = with_defaults(settings, {"rows": [], "cutoff": 64})
        rows = read_rows(given["rows"], {"merge_layers": 0, "search": None, "sweep_of": None})
        found = read_evaluations(files, [row["system"] for row in rows], counts)
        table = views.build(name, paper()[name]["caption"], rows, given["cutoff"], found)
        return table, views.page(table)
    if name == "table6":
        given = with_defaults(settings, {"rows": [], "contrasts": []})
        rows = read_rows(given["rows"], {})
        found = read_evaluations(files, [row["system"] for row in rows], counts)
        table = domains.build(name, paper()[name]["caption"], rows, given["contrasts"], found)
        return table, domains.page(table)
    given = with_defaults(settings, {"rows": [], "against": None, "contrasts": [], "caption": None})
    caption = given["caption"] or _caption(name)
    rows = read_rows(given["rows"], {"repeats": []})
    systems = [system for row in rows for system in (row["system"], *row["repeats"])]
    found = read_evaluations(files, systems, counts)
    table = comparison.build(name, caption, rows, given["against"], given["contrasts"], found)
    return table, comparison.page(table)


def _caption(name: str) -> str:
    if name not in NAMES:
        raise InputError(
            f"--name: no table is called {name!r}.{did_you_mean(name, NAMES)} Known: "
            f"{', '.join(NAMES)}. Any other name makes a comparison of rows if its settings have "
            "a caption."
        )
    return paper()[name]["caption"]
