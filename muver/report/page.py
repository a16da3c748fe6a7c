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
LINKS_ONLY = ("elements.js", "links.js", "tables_only.js")
SKIP = '<a class="skip" href="#explorer">Skip to the predictions</a>'
ROWS = "What stands behind each row: its settings, files and recall by world or set."


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
    """Put the parts together; a section without content is left out.

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
    sections = {
        "figures": ("Figures", _figures(results, drawings)),
        "rows": ("Rows", rows and paragraph(ROWS) + rows),
        "run": ("Run", "\n".join(filter(None, [times, *facts]))),
    }
    shown = {name: part for name, part in sections.items() if part[1]}
    explorer = data is not None
    return Template(_asset("page.html")).substitute(
        title=text(head["title"]),
        subtitle=text(head["subtitle"]),
        style=_asset("page.css"),
        skip=SKIP if explorer else "",
        problems=_problems(problems),
        contents=_contents(results, {name: title for name, (title, _) in shown.items()}, explorer),
        tables=tables,
        sections="\n".join(_section(name, *part) for name, part in shown.items()),
        base=text(BASE),
        explorer=_asset("explorer.html") if explorer else "",
        data=compressed(data) if explorer else "",
        script="\n".join(_asset(name) for name in (SCRIPTS if explorer else LINKS_ONLY)),
        about=in_script({"base": BASE}),
    )


def _section(name: str, title: str, content: str) -> str:
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{content}\n</section>'
    )


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


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


def _contents(results: Sequence[Result], sections: Mapping[str, str], explorer: bool) -> str:
    links = [(result.name, result.title) for result in results]
    links += sections.items()
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
    return "\n".join(found)


def page_of(
    results: Sequence[Result],
    systems: Sequence[System],
    problems: Problems,
    **parts: Any,
) -> str:
    """The page of a run's results; ``parts`` are the further arguments of :func:`render`."""
    datasets = list(dict.fromkeys(r.data["dataset"] for r in results if r.compares or r.linked))
    name = ", ".join(map(str, datasets))
    head = {
        "title": f"muver: results on {name}" if name else "muver: results",
        "subtitle": f"{len(results)} tables and figures, {len(systems)} systems",
    }
    return render(head=head, problems=problems, results=results, **parts)
