"""The report stage: from the folders of a run to one HTML file; nothing outside it is needed."""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_text
from muver.io.progress import logger
from muver.io.text import counted
from muver.io.typed import flat
from muver.look import ASSETS as SHARED
from muver.reproduction.report.explorer import Report, explore
from muver.reproduction.report.results import (
    RunFiles,
    System,
    read_results,
    read_systems,
)
from muver.reproduction.tables.cells import Section, cells_by_world
from muver.reproduction.tables.evaluations import data_fingerprint
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import AnyResult, ResultOnData, caption_of, result_names
from muver.reproduction.tables.render import environment
from muver.reproduction.tables.sections import RULE
from muver.reproduction.tracking.provenance import commit, machine, versions

ASSETS = Path(__file__).with_name("assets")
BASE = "http://127.0.0.1:5000"  # where `make audit` opens the user interface
QUALIFIED = re.compile(r"([+-]?[\d.]+) (\(.*)")  # a number, and in brackets what is said of it
# In the order in which they use each other; one script, since a page that is opened as a file may
# not load modules.
SCRIPTS = (
    "elements.js", "store.js", "select.js", "statistics.js", "highlight.js", "detail.js",
    "list.js", "controls.js", "links.js", "main.js",
)  # fmt: skip
LINKS_ONLY = ("elements.js", "links.js")


def make_report(
    *, results: Path, out: Path, settings: Report, workspace: Path | None = None
) -> list[str]:
    """Make one page of tables, figures and single predictions, which opens anywhere.

    What does not fit together stands on the page and in the log.

    Parameters
    ----------
    results
        Folder of the tables, results/DATASET.
    out
        The page to write.
    workspace
        Folder of what was built; by default the workflow's, ``build/DATASET/current``.

    Returns
    -------
    What does not fit together, a sentence each.
    """
    names = result_names(results) if settings.results is None else settings.results
    if not names:
        raise InputError(f"{results}: no table is in it. Make one: snakemake --cores all")
    files = RunFiles(results, workspace or Path("build") / results.name / "current")
    problems: list[str] = []
    shown = read_results(names, files, problems)
    systems = read_systems(shown, files, problems)
    data = None
    try:
        data = explore(systems, files, settings, problems)
    except InputError as error:
        problems.append(f"The predictions cannot be shown: {files.without_folders(error)}")
    problems = [*dict.fromkeys(problems)]
    for problem in problems:
        logger.warning("%s", problem)
    contents = {result.name: caption_of(result.name) for result in shown}
    contents |= {"predictions": "Predictions"} if data else {}
    contents |= {"rows": "Rows"} if systems else {}
    has = f"{counted(len(shown), 'result')}, {counted(len(systems), 'row')}"
    datasets = (result.dataset for result in shown if isinstance(result, ResultOnData))
    dataset = next(datasets, results.name)
    head, changed = commit()
    page = _templates().get_template("page.html").render(
        title=f"muver: results on {dataset}",
        subtitle=has,
        contents={**contents, "run": "Run"},
        asset=_asset,
        tables=tables(shown, files),
        rows=[_row(system, files) for system in systems],
        explored={row["key"] for row in data["rows"]} if data else (),
        data=compressed(data) if data else "",
        scripts=SCRIPTS if data else LINKS_ONLY,
        made_of=made_of(results, names),
        problems=problems,
        machine=machine(),
        versions=versions() | ({"commit": head[:12] + changed} if head else {}),
    )  # fmt: skip
    write_text(out, page)
    logger.info("%s: %s, %s", out, has, counted(len(problems), "problem"))
    return problems


def made_of(results: Path, names: Iterable[str]) -> str:
    """A SHA-256 of the tables that a page shows, which it has in its head."""
    files = (results / f"{name}.json" for name in sorted(names))
    listed = "".join(f"{sha256_of(file)}  {file.name}\n" for file in files if file.is_file())
    return sha256(listed.encode()).hexdigest()


def page_of_made(results: Path) -> None:
    """Make ``report.html`` of the tables in a folder, if it shows others, and the link to it in the
    folder above.

    A table's own run ends with it; the rule ``report`` makes it of all that params.yaml lists.
    """
    page, tables = results / "report.html", result_names(results)
    if not tables:
        return
    head = page.read_bytes()[:1000] if page.is_file() else b""
    if made_of(results, tables).encode() not in head:
        make_report(results=results, out=page, settings=Report())
    link = results.parent / page.name
    if not (link.is_symlink() and link.resolve() == page.resolve()):
        link.unlink(missing_ok=True)
        link.symlink_to(f"{results.name}/{page.name}")


def _asset(name: str) -> Markup:
    asset = ASSETS / name
    return Markup((asset if asset.is_file() else SHARED / name).read_text(encoding="utf-8"))


def compressed(value: Any) -> str:
    """JSON, gzipped, in base64: the same text for the same value."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(data.encode("utf-8"), 6, mtime=0)).decode("ascii")


def _row(system: System, files: RunFiles) -> dict[str, Any]:
    """A system with its files, its recall by world or set, and its settings."""
    if not system.evaluations:
        return {"system": system}
    places = []
    for name, evaluation in system.evaluations.items():
        scores = files.evaluation(system.name, name)
        paths = {
            "run": files.run(system.name, name),
            "evaluation": scores,
            "ranks of the gold entities": scores.with_suffix(".parquet"),
            "for TREC's tools": scores.with_suffix(".run"),
        }
        places += [(f"{what} on {name}", files.shown(path)) for what, path in paths.items()]
        places.append((f"SHA-256 of the run file on {name}", evaluation.run_sha256))
    places.append(("fingerprint of the data", data_fingerprint(system.evaluations)))
    unit = "set" if system.over_kb else "world"
    recall = [
        {unit: system.table.columns.get(name) or name, **cells}
        for name, cells in cells_by_world(system.table, system.key)
    ]
    settings = [
        {"setting": name, "set to": text} for name, text in without_places(system.settings).items()
    ]
    return {
        "system": system,
        "files": places,
        "own_page": ", ".join(
            f"{evaluation.own_page_first} of {counted(evaluation.mentions, 'mention')}"
            for evaluation in system.evaluations.values()
            if evaluation.own_page_first is not None
        ),
        "recall": Section.of(f"{system.method} by {unit}", "", recall),
        "settings": Section.of(f"Settings of {system.method}", "", settings),
    }


def without_places(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as dotted names and texts, without places on this machine."""
    return {
        name: str(value)
        for name, value in flat(settings)
        if value != {} and not (isinstance(value, str) and value.startswith(("/", "~", "\\\\")))
    }


def _templates() -> Environment:
    """The page's templates, with what they share."""
    templates = environment(ASSETS, SHARED)
    templates.globals.update(rule=RULE, base=BASE, split=split)
    return templates


def tables(results: Sequence[AnyResult], files: RunFiles) -> Markup:
    """A part of the page for each result, with its drawing first where it has one."""
    make = _templates().get_template("results.html").module.result
    return Markup("\n").join(
        make(
            result,
            drawing(files.results / "figures" / f"{result.name}.svg"),
            files.addresses(result.name),
            _shown(result),
        )
        for result in results
    )


def _shown(result: AnyResult) -> dict[str, Any]:
    """The sections of a result, and what stands in which columns of the first one.

    A key that all lines share stands once, below them.
    """
    main, *further = page_of(result).sections
    values = {row[n] for row in main.rows for n in main.keys}
    shared = values.pop() if len(values) == 1 and len(main.rows) > 1 else ""
    return {
        "caption": caption_of(result.name, result.caption),
        "main": main,
        "further": further,
        "shared": shared,
        "columns": [n for n in range(len(main.header)) if not (shared and n in main.keys)],
        "judged": any(source.published for source in main.sources.values()),
    }


def split(text: str) -> tuple[str, list[str]] | None:
    """A number, and the lines of what stands in brackets after it."""
    qualified = QUALIFIED.fullmatch(text)
    return qualified and (qualified[1], re.split(r"(?<=\)), |; ", qualified[2]))


def drawing(path: Path) -> str:
    """An SVG file as the address of an image that is in the page, "" if there is none."""
    if not path.is_file():
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
