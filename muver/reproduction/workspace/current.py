"""What the settings ask for now in a dataset's folder: links to it, removal of the rest, and what
DVC is told of it."""

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import remove_all, sha256_of, size_of, strays, write_json, write_text
from muver.reproduction.settings.naming import method_of, note_of
from muver.reproduction.settings.resolve import settings_in
from muver.reproduction.workspace import graph_of
from muver.reproduction.workspace.artifact import Artifact, add_to_catalog
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.running import check_idle
from muver.reproduction.workspace.steps import KINDS, PACKAGE, STAGES, code


def link(graph: Graph) -> None:
    """Make ``build/<workspace>/current`` point to what the settings ask for, and catalogue it."""
    add_to_catalog(Path(graph.root), graph.by_place.values())
    asked = {artifact.path for artifact in graph.asked(graph.settings.results)}
    folder = Path(graph.root, "current")
    wanted = {
        folder / place: os.path.relpath(target, (folder / place).parent)
        for artifact in graph.by_place.values()
        for place, target in _links(artifact)
        if artifact.path in asked or Path(target).exists()
    }
    wanted[folder / "recorded"] = "../recorded"  # which MLflow run is which row's
    for place in folder.rglob("*"):
        if place.is_symlink() and wanted.get(place) != os.readlink(place):
            place.unlink()
    for place, target in wanted.items():
        if not place.is_symlink():
            if place.exists():
                raise InputError(
                    f"{place}: not a link, as everything in {folder} is. A copy of the project "
                    "made it a folder; remove it and run the same command again."
                )
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)


def _links(artifact: Artifact) -> Iterator[tuple[str, str]]:
    """A link of an artifact's folder, or of each of its files, and what it points to."""
    files = [suffix for suffix in artifact.suffixes if suffix.startswith(".")]
    if len(files) < len(artifact.suffixes) or not artifact.suffixes:
        # A further seed's start lies beside the main seed's, which is all of its folder.
        between = "_" if artifact.rule in ("encoder", "pretrain") else "/"
        yield between.join(filter(None, (artifact.kind, artifact.name))), artifact.path
    for suffix in files:
        yield f"{artifact.kind}/{artifact.name}{suffix}", f"{artifact.path}{suffix}"


def path_of(section: str, name: str) -> str:
    """Where the model or the row's index of a name lies that params.yaml asks for.

    The ``section`` is ``models`` or ``systems``; what it has no entry of stays as it is.
    """
    graph = graph_of(settings_in(Path(), {}))
    if name not in getattr(graph.settings, section):
        return name
    path = file = f"{graph.root}/indexes/{name}"
    if section == "models":
        path, file = graph.model(name).path, graph.model(name).files[0]
    if not Path(file).exists():
        raise InputError(
            f"{name}: params.yaml asks for {path}, which is not made yet. Make it: snakemake "
            f"--cores all {file}"
        )
    return path


def not_asked(graph: Graph) -> list[Path]:
    """What lies in the dataset's folder and no table or figure of the settings asks for."""
    kept = [Path(artifact.path) for artifact in graph.declared]
    kept += [Path(artifact.checkpoints) for artifact in graph.declared]
    return [
        path
        for kind in sorted([*KINDS, "checkpoints"])
        for path in strays(Path(graph.root, kind), kept)
    ]


def prune(*, config: Iterable[tuple[str, Any]] = (), remove: bool = False) -> None:
    """Show what was made and is no longer asked for, with its size, and remove it.

    The largest comes first.

    Nothing is removed while a run is at work, which may be making or reading it.

    Parameters
    ----------
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    remove
        Without this, only show.
    """
    if remove:
        check_idle(Path())
    graph = graph_of(settings_in(Path(), config))
    sizes = {path: size_of(path) for path in not_asked(graph)}
    for path in sorted(sizes, key=sizes.__getitem__, reverse=True):
        print(f"{sizes[path] / 1e6:10.1f} MB  {path}")
    total = f"{len(sizes)} files and folders, {sum(sizes.values()) / 1e6:.1f} MB"
    if remove:
        remove_all(sizes)
        print(f"{total}, removed.")
    elif sizes:
        print(f"{total}, that no table or figure of params.yaml asks for. --remove removes them.")
    else:
        print(f"{graph.root}: everything that was made is asked for.")


TABLES = ("table", "figure", "grid", "metrics", "report")
# Sections that decide what tables say of the evaluations they are made of.
OF_TABLES = ("results", "tables", "contrasts", "figures", "sweep", "tracking")
IGNORE = "# Of each kind only what params.yaml asks for; `muver prune` removes the rest.\n"


def list_asked(config: Iterable[tuple[str, Any]] = ()) -> None:
    """List what params.yaml asks of each DVC stage, in build/DATASET/asked.

    Writes what DVC leaves alone, too, and links what is asked for in ``current``.

    A stage that has nothing to make leaves the empty folders that DVC expects, made here.
    """
    graph = graph_of(settings_in(Path(), config))
    folders = [Path(graph.root, kind) for kind in KINDS]
    for folder in (*folders, Path("metrics", graph.settings.workspace)):
        folder.mkdir(parents=True, exist_ok=True)
    write_asked(graph)
    write_ignored(graph)
    link(graph)


def write_asked(graph: Graph) -> None:
    """Write ``build/<workspace>/asked/<stage>.json`` for each DVC stage.

    The ids of the artifacts that it has to make, and hashes of the code that makes them; of the
    tables the sections that decide what they say, and what their rows are called.
    """
    folder, settings = Path(graph.root, "asked"), graph.settings
    asked, written = graph.asked(settings.results), settings.as_dict()
    for stage, kinds in STAGES.items():
        kept = [artifact for artifact in asked if artifact.kind in kinds]
        ids = {f"{artifact.kind}/{artifact.name}": artifact.id for artifact in kept}
        hashes = _hashes(map(graph.code_of, kept))
        content = {"artifacts": dict(sorted(ids.items())), "code": hashes}
        write_json(folder / f"{stage}.json", content)
    rows = sorted({row for result in settings.results for row in graph.rows(result)})
    tables = {section: written[section] for section in OF_TABLES}
    # A name or a note may stand at the row or at its model.
    tables["rows"] = {row: [method_of(settings, row), note_of(settings, row)] for row in rows}
    write_json(folder / "tables.json", {"settings": tables, "code": _hashes(map(code, TABLES))})


def _hashes(files: Iterable[list[str]]) -> dict[str, str]:
    """The hash of each file of the code, by its name."""
    names = sorted(set(chain.from_iterable(files)))
    return {name: sha256_of(PACKAGE.parent / name)[:12] for name in names}


def write_ignored(graph: Graph) -> None:
    """Write ``build/<workspace>/.dvcignore``, so that DVC keeps no trial of other settings.

    It ignores all artifacts of each kind but those of the settings' tables and figures. So it
    holds for trials that are yet to be made.
    """
    lines = [IGNORE]
    for kind in KINDS:
        kept = [artifact for artifact in graph.declared if artifact.kind == kind]
        depth = 1 + max((artifact.name.count("/") for artifact in kept), default=0)
        lines.append(f"/{kind}{'/*' * depth}\n")
        lines += [f"!/{kind}/{artifact.id}*\n" for artifact in kept]
    write_text(Path(graph.root, ".dvcignore"), "".join(lines))
