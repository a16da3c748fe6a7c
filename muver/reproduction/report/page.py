"""The page as one HTML file: tables, styles, script and data; nothing outside it is needed."""

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from muver.io.text import counted
from muver.io.typed import flat
from muver.look import ASSETS as SHARED
from muver.reproduction.report.results import Addresses, RunFiles, System
from muver.reproduction.tables.evaluations import data_fingerprint
from muver.reproduction.tables.page import Section
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import AnyResult, LengthsFigure, caption_of
from muver.reproduction.tables.render import KEY, environment
from muver.reproduction.tables.sections import RULE

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


def html_of(
    results: Sequence[AnyResult],
    systems: Sequence[System],
    files: RunFiles,
    data: Mapping[str, Any] | None,
    **parts: Any,
) -> str:
    """The page as HTML.

    ``data`` are what the explorer shows, if anything; ``parts`` are the template's ``tables``,
    ``made_of``, ``problems``, ``machine`` and ``versions``.
    """
    contents = {result.name: caption_of(result.name) for result in results}
    contents |= {"predictions": "Predictions"} if data else {}
    contents |= {"rows": "Rows"} if systems else {}
    datasets = [getattr(result, "dataset", None) for result in results]
    dataset = ", ".join(dict.fromkeys(filter(None, datasets)))
    figures = sum(isinstance(result, LengthsFigure) for result in results)
    counts = {"table": len(results) - figures, "figure": figures, "system": len(systems)}
    template = templates().get_template("page.html")
    return template.render(
        title=f"muver: results on {dataset}" if dataset else "muver: results",
        subtitle=", ".join(counted(number, noun) for noun, number in counts.items() if number),
        contents={**contents, "run": "Run"},
        asset=_asset,
        rows=[_row(system, files) for system in systems],
        explored={row["key"] for row in data["rows"]} if data else (),
        data=compressed(data) if data else "",
        scripts=SCRIPTS if data else LINKS_ONLY,
        **parts,
    )


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
    lines = []
    for name, evaluation in system.evaluations.items():
        scores = files.evaluation(system.name, name)
        paths = {
            "run": files.run(system.name, name),
            "evaluation": scores,
            "ranks of the gold entities": scores.with_suffix(".parquet"),
            "for TREC's tools": scores.with_suffix(".run"),
        }
        lines += [(f"{what} on {name}", files.shown(path)) for what, path in paths.items()]
        lines.append((f"SHA-256 of the run file on {name}", evaluation.run_sha256))
    lines.append(("fingerprint of the data", data_fingerprint(system.evaluations)))
    unit = "set" if system.over_kb else "world"
    recall = [
        [
            system.titles[name] if system.over_kb else world,
            str(part.mentions),
            *(f"{recall:.2f}" for recall in part.recall.values()),
        ]
        for name, evaluation in system.evaluations.items()
        for world, part in evaluation.worlds.items()
    ]
    header = [unit, "mentions", *(f"R@{k}" for k in system.evaluation.cutoffs)]
    settings = [list(pair) for pair in without_places(system.settings).items()]
    return {
        "system": system,
        "files": lines,
        "own_page": ", ".join(
            f"{evaluation.own_page_first} of {counted(evaluation.mentions, 'mention')}"
            for evaluation in system.evaluations.values()
            if evaluation.own_page_first is not None
        ),
        "recall": Section(f"{system.method} by {unit}", "", header, recall),
        "settings": Section(f"Settings of {system.method}", "", ["setting", "set to"], settings),
    }


def without_places(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as dotted names and texts, without places on this machine."""
    return {
        name: str(value)
        for name, value in flat(settings)
        if value != {} and not (isinstance(value, str) and value.startswith(("/", "~", "\\\\")))
    }


def templates() -> Any:
    """The page's templates, with what they share."""
    found = environment(ASSETS, SHARED)
    found.globals.update(rule=RULE, base=BASE, split=split)
    return found


def tables(
    results: Sequence[AnyResult], drawings: Mapping[str, str], addresses: Addresses
) -> Markup:
    """A part of the page for each result, with its drawing first where it has one."""
    make = templates().get_template("results.html").module.result
    return Markup("\n").join(
        make(result, drawings.get(result.name, ""), addresses, _shown(result)) for result in results
    )


def _shown(result: AnyResult) -> dict[str, Any]:
    """The sections of a result, and what stands in which columns of the first one.

    A key that all lines share stands once, below them.
    """
    main, *further = page_of(result).sections
    keys = [n for n, name in enumerate(main.header) if name.startswith(KEY)]
    values = {row[n] for row in main.rows for n in keys}
    shared = values.pop() if len(values) == 1 and len(main.rows) > 1 else ""
    return {
        "caption": caption_of(result.name, result.caption),
        "main": main,
        "further": further,
        "keys": keys,
        "shared": shared,
        "columns": [n for n in range(len(main.header)) if not (shared and n in keys)],
        "judged": any(source.published for source in main.sources.values()),
    }


def split(text: str) -> tuple[str, list[str]] | None:
    """A number, and the lines of what stands in brackets after it."""
    found = QUALIFIED.fullmatch(text)
    return found and (found[1], re.split(r"(?<=\)), |; ", found[2]))


def drawing(path: Path) -> str:
    """An SVG file as the address of an image that is in the page, "" if there is none."""
    if not path.is_file():
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
