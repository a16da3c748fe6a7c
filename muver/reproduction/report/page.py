"""The page as one HTML file: sections, styles, script and data; nothing outside it is needed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from muver.look import ASSETS as SHARED
from muver.reproduction.report.markup import compressed, counted, paragraph, section, text
from muver.reproduction.report.problems import Problems
from muver.reproduction.report.recorded import BASE
from muver.reproduction.report.results import Result, title_of
from muver.reproduction.report.systems import System

ASSETS = Path(__file__).with_name("assets")
# In the order in which they use each other; one script, since a page that is opened as a file may
# not load modules.
SCRIPTS = (
    "elements.js", "store.js", "select.js", "statistics.js", "highlight.js", "parts.js",
    "detail.js", "list.js", "controls.js", "links.js", "main.js",
)  # fmt: skip
LINKS_ONLY = ("elements.js", "links.js", "tables_only.js")
SKIP = '<a class="skip" href="#predictions">Skip to the predictions</a>'
ROWS = "What stands behind each row: its settings, files and recall by world or set."


def page_of(
    results: Sequence[Result],
    systems: Sequence[System],
    problems: Problems,
    tables: str,
    rows: str,
    run: str,
    data: Mapping[str, Any] | None,
) -> str:
    """Put the parts together; a section without content is left out.

    Parameters
    ----------
    tables, rows, run
        HTML of :mod:`muver.reproduction.report.tables`, of :mod:`muver.reproduction.report.rows`,
        and of times, machine and versions.
    data
        What the explorer shows (:mod:`muver.reproduction.report.explorer`); None leaves it out.
    """
    explorer = data is not None
    later = {
        "rows": ("Rows", rows and paragraph(ROWS) + rows),
        "run": ("Run", run),
    }
    later = {name: part for name, part in later.items() if part[1]}
    links = {result.name: title_of(result.name) for result in results}
    links |= {"predictions": "Predictions"} if explorer else {}
    links |= {name: title for name, (title, _) in later.items()}
    datasets = [getattr(result.table, "dataset", None) for result in results]
    dataset = ", ".join(dict.fromkeys(filter(None, datasets)))
    figures = sum(result.name.startswith("figure") for result in results)
    counts = {"table": len(results) - figures, "figure": figures, "system": len(systems)}
    return Template(_asset("page.html")).substitute(
        title=text(f"muver: results on {dataset}" if dataset else "muver: results"),
        subtitle=", ".join(counted(number, one) for one, number in counts.items() if number),
        style=_asset("page.css"),
        skip=SKIP if explorer else "",
        problems=_problems(problems),
        contents="".join(
            f'<li><a href="#{text(name)}">{text(title)}</a></li>' for name, title in links.items()
        ),
        tables=tables,
        explorer=_asset("explorer.html") if explorer else "",
        sections="\n".join(section(name, *part) for name, part in later.items()),
        base=text(BASE),
        data=compressed(data) if explorer else "",
        script="\n".join(_asset(name) for name in (SCRIPTS if explorer else LINKS_ONLY)),
    )


def _asset(name: str) -> str:
    own = ASSETS / name
    return (own if own.is_file() else SHARED / name).read_text(encoding="utf-8")


def _problems(problems: Problems) -> str:
    passed = ", ".join(counted(number, *kind) for kind, number in problems.passed.items())
    checked = f"Checked and in agreement: {passed}." if passed else "Nothing could be checked."
    if not problems.messages:
        return f'<p class="checked"><span aria-hidden="true">\u2713</span> {text(checked)}</p>'
    items = "".join(f"<li>{text(message)}</li>" for message in problems.messages)
    return (
        '<section class="problems" aria-labelledby="problems">'
        f'<h2 id="problems">\u26a0 {counted(len(problems.messages), "problem")}</h2>'
        f"<ul>{items}</ul><p>{text(checked)}</p></section>"
    )
