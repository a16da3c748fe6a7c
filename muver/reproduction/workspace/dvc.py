"""What DVC is told: what each of its stages has to make, and what it leaves alone."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muver.io.files import sha256_of, write_json, write_text
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import kind_of
from muver.reproduction.workspace import graph_of
from muver.reproduction.workspace.code import KIND, PACKAGE, code
from muver.reproduction.workspace.current import link
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.steps import STAGES

TABLES = ("table", "figure", "grid", "metrics", "report")
# Sections that decide what tables say of the evaluations they are made of.
OF_TABLES = ("results", "tables", "contrasts", "figures", "sweep", "tracking")
IGNORE = "# Of each kind only what params.yaml asks for; `muver prune` removes the rest.\n"


def list_asked(config: Iterable[tuple[str, Any]] = ()) -> None:
    """Write what each DVC stage depends on and what DVC leaves alone, and link it in ``current``.

    A stage that has nothing to make leaves the empty folders that DVC expects, made here.
    """
    graph = graph_of(resolve(read_params("params.yaml"), dict(config)))
    kinds = [Path(graph.root, kind) for kinds in STAGES.values() for kind in kinds]
    for folder in (*kinds, Path("metrics", graph.settings.workspace)):
        folder.mkdir(parents=True, exist_ok=True)
    write_asked(graph)
    write_ignored(graph)
    link(graph)


def write_asked(graph: Graph) -> None:
    """Write ``build/<workspace>/asked/<stage>.json`` for each DVC stage.

    The ids of the artifacts that it has to make, and hashes of the code that makes them; of the
    tables the sections that decide what they say.
    """
    folder, written = Path(graph.root, "asked"), graph.settings.as_dict()
    asked = graph.asked(graph.settings.results)
    for stage, kinds in STAGES.items():
        own = [one for one in asked if one.kind in kinds]
        ids = {f"{one.kind}/{one.name}": one.id for one in own}
        rules = (
            f"{KIND}{kind_of(graph.settings, one.label)}" if one.kind == "runs" else one.rule
            for one in own
        )
        content = {"artifacts": dict(sorted(ids.items())), "code": _hashes(rules)}
        write_json(folder / f"{stage}.json", content)
    rows = {row for result in graph.settings.results for row in graph.rows(result)}
    tables = {section: written[section] for section in OF_TABLES}
    tables["systems"] = {row: written["systems"][row] for row in sorted(rows)}
    write_json(folder / "tables.json", {"settings": tables, "code": _hashes(TABLES)})


def _hashes(rules: Iterable[str]) -> dict[str, str]:
    """The hash of each file of the code behind rules."""
    files = sorted({file for rule in set(rules) for file in code(rule)})
    return {file: sha256_of(PACKAGE.parent / file)[:12] for file in files}


def write_ignored(graph: Graph) -> None:
    """Write ``build/<workspace>/.dvcignore``, so that DVC keeps no trial of other settings.

    It ignores all artifacts of each kind but those of the settings' tables and figures. So it
    holds for trials that are yet to be made.
    """
    lines = [IGNORE]
    for kind in (kind for kinds in STAGES.values() for kind in kinds):
        own = [one for one in graph.declared if one.kind == kind]
        depth = 1 + max((one.name.count("/") for one in own), default=0)
        lines.append(f"/{kind}{'/*' * depth}\n")
        lines += [f"!/{kind}/{one.id}*\n" for one in own]
    write_text(Path(graph.root, ".dvcignore"), "".join(lines))
