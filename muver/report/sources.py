"""The rows one by one: settings, files, recall by world, the way to MLflow."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.report.embed import text
from muver.report.grids import grid
from muver.report.places import Places
from muver.report.systems import System

SEPARATOR = " \u00b7 "


def rows(systems: Sequence[System], places: Places, explored: set[str]) -> str:
    """A list of all rows, each to be opened.

    Parameters
    ----------
    explored
        Keys of the rows whose predictions are on the page.
    """
    return "\n".join(_row(system, places, system.key in explored) for system in systems)


def flat(settings: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Settings as dotted names and texts; places on this machine are left out.

    >>> flat({"model": {"seed": 1, "start": "/home/x"}, "k": [1, 2]})
    {'model.seed': '1', 'k': '[1, 2]'}
    """
    found: dict[str, str] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{key}.")
        elif not (isinstance(value, str) and value.startswith(("/", "~", "\\\\"))):
            found[f"{before}{key}"] = str(value)
    return found


def _row(system: System, places: Places, explored: bool) -> str:
    key, name = text(system.key), text(system.name)
    links = [f'<a href="#explore&amp;row={name}">its predictions</a>'] if explored else []
    links += [f'<a href="#{text(table)}">{text(table)}</a>' for table in system.tables]
    parts = [
        f'<details id="row-{key}"><summary>{text(system.method)} '
        f'<code>{key}</code> <span class="sub inline">{name}</span></summary>',
        f"<p>{SEPARATOR.join(links)}</p>",
        f"<p>In MLflow: <code>tags.row_key = '{key}'</code> "
        f'<button type="button" class="copy" data-copy="tags.row_key = \'{key}\'">copy search'
        "</button></p>",
    ]
    if system.evaluation is None:
        parts.append('<p class="problem">Its evaluation cannot be read.</p>')
    else:
        parts += [_files(system, places), _worlds(system), _settings(system)]
    return "\n".join([*parts, "</details>"])


def _files(system: System, places: Places) -> str:
    lines = []
    for part, evaluation in system.parts.items():
        files = {
            "run": places.run(system.name, part or str(system.split)),
            "evaluation": places.evaluation(system.name, part),
            "ranks of the gold entities": places.ranks(system.name, part),
            "for TREC's tools": places.trec(system.name, part),
        }
        on = f" on {part}" if part else ""
        lines += [f"<li>{text(what + on)}: <code>{text(places.shown(path))}</code></li>"
                  for what, path in files.items()]  # fmt: skip
        if evaluation.get("run_sha256"):
            digest = text(evaluation["run_sha256"])
            lines.append(
                f'<li>SHA-256 of the run file{text(on)}: <code class="long">{digest}</code></li>'
            )
    fingerprint = text(system.evaluation["fingerprint"])
    lines.append(f"<li>fingerprint of the data: <code>{fingerprint}</code></li>")
    return f"<ul>{''.join(lines)}</ul>"


def _worlds(system: System) -> str:
    cutoffs = [str(k) for k in system.evaluation["cutoffs"]]
    cells = [
        [text(world), str(part["mentions"]), *(f"{part['recall'][k]:.2f}" for k in cutoffs)]
        for world, part in system.evaluation["worlds"].items()
    ]
    header = [system.unit, "mentions", *(f"R@{k}" for k in cutoffs)]
    return grid(f"{system.method} by {system.unit}", header, cells)


def _settings(system: System) -> str:
    cells = [
        [f"<code>{text(key)}</code>", text(value)] for key, value in flat(system.settings).items()
    ]
    return grid(f"Settings of {system.method}", ["setting", "value"], cells, (0, 1), "settings")
