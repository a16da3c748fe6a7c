"""The page as one HTML file: sections, styles, script and data; nothing outside it is needed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from muver.report.embed import compressed, in_script, text
from muver.report.grids import paragraph
from muver.report.problems import Problems
from muver.report.recorded import BASE
from muver.report.results import Result
from muver.report.systems import System

ASSETS = Path(__file__).with_name("assets")
# In the order in which they use each other; one script, since a page that is opened as a file may
# not load modules.
SCRIPTS = (
    "elements.js", "store.js", "select.js", "statistics.js", "highlight.js", "detail.js",
    "list.js", "controls.js", "links.js", "main.js",
)  # fmt: skip


def render(
    head: Mapping[str, str],
    problems: Problems,
    results: Sequence[Result],
    tables: str,
    drawings: Mapping[str, str],
    rows: str,
    facts: Sequence[str],
    times: str,
    data: Mapping[str, Any] | None,
) -> str:
    """Put the parts together.

    Parameters
    ----------
    head
        ``title`` and ``subtitle``, plain text.
    drawings
        SVG elements by the name of their figure.
    tables, rows, facts, times
        HTML of :mod:`muver.report.tables`, :mod:`muver.report.sources` and
        :mod:`muver.report.about`.
    data
        What the explorer shows (:mod:`muver.report.explorer`); None leaves it out.
    """
    return Template(_asset("page.html")).substitute(
        title=text(head["title"]),
        subtitle=text(head["subtitle"]),
        style=_asset("page.css"),
        problems=_problems(problems),
        contents=_contents(results, data is not None),
        tables=tables,
        figures=_figures(results, drawings),
        rows=rows or paragraph("No table of rows is here."),
        base=text(BASE),
        facts="\n".join(facts),
        times=times,
        explorer=_asset("explorer.html") if data is not None else _no_explorer(bool(rows)),
        data="" if data is None else compressed(data),
        script="\n".join(_asset(name) for name in SCRIPTS) if data is not None else _links_only(),
        about=in_script({"base": BASE}),
    )


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _links_only() -> str:
    return "\n".join(_asset(name) for name in ("elements.js", "links.js", "tables_only.js"))


def _no_explorer(rows: bool) -> str:
    if not rows:
        return paragraph("No table of systems is here, so there are no predictions to show.")
    return paragraph("There are no predictions here: no run file could be read.", "problem")


def _problems(problems: Problems) -> str:
    held = ", ".join(f"{number} {kind}" for kind, number in problems.checked.items())
    checked = f"Checked and in agreement: {held}." if held else "Nothing could be checked."
    if not problems.found:
        return f'<p class="checked"><span aria-hidden="true">\u2713</span> {text(checked)}</p>'
    items = "".join(f"<li>{text(one)}</li>" for one in problems.found)
    number = len(problems.found)
    return (
        '<section class="problems" aria-labelledby="problems">'
        f'<h2 id="problems">\u26a0 {number} {"problem" if number == 1 else "problems"}</h2>'
        f"<ul>{items}</ul><p>{text(checked)}</p></section>"
    )


def _contents(results: Sequence[Result], explorer: bool) -> str:
    links = [(result.name, result.title) for result in results]
    links += [("figures", "Figures"), ("rows", "Rows"), ("run", "Run")]
    links += [("explorer", "Predictions")] if explorer else []
    return "".join(f'<li><a href="#{text(name)}">{text(said)}</a></li>' for name, said in links)


def _figures(results: Sequence[Result], drawings: Mapping[str, str]) -> str:
    captions = {result.name: result.caption for result in results}
    found = [
        f'<figure id="figure-{text(name)}"><div class="drawing" role="img" '
        f'aria-label="{text(captions.get(name, name))}">{drawing}</div>'
        f"<figcaption>{text(captions.get(name, name))}; its numbers: "
        f'<a href="#{text(name)}">{text(name)}</a></figcaption></figure>'
        for name, drawing in drawings.items()
    ]
    return "\n".join(found) or paragraph("No figure was made.")


def page_of(
    results: Sequence[Result],
    systems: Sequence[System],
    problems: Problems,
    **parts: Any,
) -> str:
    """The page of a run's results; ``parts`` are the further arguments of :func:`render`."""
    datasets = list(dict.fromkeys(r.data["dataset"] for r in results if r.compares))
    name = ", ".join(map(str, datasets)) or "no dataset"
    head = {
        "title": f"muver: results on {name}",
        "subtitle": f"{len(results)} tables and figures, {len(systems)} systems",
    }
    return render(head=head, problems=problems, results=results, **parts)
