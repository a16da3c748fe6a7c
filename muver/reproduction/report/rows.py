"""The rows one by one: settings, files, recall by world or set, the way to MLflow."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.io.typed import flat
from muver.reproduction.report.cells import copy_button
from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.systems import System
from muver.reproduction.tables.html import grid, text
from muver.reproduction.tables.keys import data_fingerprint

SEPARATOR = " \u00b7 "


def rows(systems: Sequence[System], files: RunFiles, explored: set[str]) -> str:
    """All rows, each to be opened.

    Parameters
    ----------
    explored
        Keys of the rows whose predictions are on the page.
    """
    return "\n".join(_row(system, files, system.key in explored) for system in systems)


def _row(system: System, files: RunFiles, explored: bool) -> str:
    key, name = text(system.key), text(system.name)
    links = [f'<a href="#explore&amp;row={name}">its predictions</a>'] if explored else []
    links += [f'<a href="#{text(table)}">{text(table)}</a>' for table in system.tables]
    parts = [
        f'<details id="row-{key}"><summary>{text(system.method)} '
        f'<code>{key}</code> <span class="sub inline">{name}</span></summary>',
        f"<p>{SEPARATOR.join(links)}</p>",
        f"<p>In MLflow: <code>tags.row_key = '{key}'</code> {copy_button(system.key)}</p>",
    ]
    if system.evaluations:
        parts += [_files(system, files), _recall(system), _settings(system)]
    else:
        parts.append('<p class="problem">Its evaluation cannot be read.</p>')
    return "\n".join([*parts, "</details>"])


def _files(system: System, files: RunFiles) -> str:
    lines = []
    for name, evaluation in system.evaluations.items():
        paths = {
            "run": files.run(system.name, name),
            "evaluation": files.evaluation(system.name, name),
            "ranks of the gold entities": files.ranks(system.name, name),
            "for TREC's tools": files.trec(system.name, name),
        }
        values = {what: files.shown(path) for what, path in paths.items()}
        values["SHA-256 of the run file"] = evaluation.run_sha256
        lines += [(f"{what} on {name}", value) for what, value in values.items()]
    lines.append(("fingerprint of the data", data_fingerprint(system.evaluations)))
    items = (f'<li>{text(what)}: <code class="long">{text(it)}</code></li>' for what, it in lines)
    return f"<ul>{''.join(items)}</ul>"


def _recall(system: System) -> str:
    """Recall by world, or by set over a knowledge base, where each set has one world."""
    unit = "set" if system.over_kb else "world"
    cells = [
        [
            text(system.titles[name] if system.over_kb else world),
            str(part.mentions),
            *(f"{recall:.2f}" for recall in part.recall.values()),
        ]
        for name, evaluation in system.evaluations.items()
        for world, part in evaluation.worlds.items()
    ]
    header = [unit, "mentions", *(f"R@{k}" for k in system.evaluation.cutoffs)]
    return grid(f"{system.method} by {unit}", header, cells)


def _settings(system: System) -> str:
    cells = [
        [f"<code>{text(key)}</code>", text(value)]
        for key, value in without_places(system.settings).items()
    ]
    return grid(f"Settings of {system.method}", ["setting", "value"], cells, (0, 1), "settings")


def without_places(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as dotted names and texts, without places on this machine."""
    return {
        name: str(value)
        for name, value in flat(settings)
        if value != {} and not (isinstance(value, str) and value.startswith(("/", "~", "\\\\")))
    }
