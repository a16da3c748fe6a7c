"""What the settings ask for now in a dataset's folder: links to it, and removal of the rest."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import remove_all, size_of, strays
from muver.reproduction.settings.file import NAME, read_params
from muver.reproduction.settings.resolve import resolve, settings_in
from muver.reproduction.workspace import graph_of
from muver.reproduction.workspace.artifact import Artifact
from muver.reproduction.workspace.catalog import add_to_catalog
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.locking import check_idle
from muver.reproduction.workspace.steps import STAGES


def link(graph: Graph, here: Callable[[str], str] = str) -> None:
    """Make ``build/<workspace>/current`` point to what the settings ask for, and catalogue it.

    ``here`` says where a path lies on this machine: elsewhere, if it is a storage's copy.
    """
    add_to_catalog(Path(here(graph.root)), graph.by_place.values())
    asked = {one.path for one in graph.asked(graph.settings.results)}
    folder = Path(graph.root, "current")
    wanted = {
        folder / place: os.path.relpath(here(target), (folder / place).parent)
        for one in graph.by_place.values()
        for place, target in _links(one)
        if one.path in asked or Path(here(target)).exists()
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


def _links(one: Artifact) -> Iterator[tuple[str, str]]:
    """A link of an artifact's folder, or of each of its files, and what it points to."""
    files = [suffix for suffix in one.suffixes if suffix.startswith(".")]
    if len(files) < len(one.suffixes) or not one.suffixes:
        # A further seed's start lies beside the main seed's, which is all of its folder.
        between = "_" if one.rule in ("encoder", "pretrain") else "/"
        yield between.join(filter(None, (one.kind, one.name))), one.path
    for suffix in files:
        yield f"{one.kind}/{one.name}{suffix}", f"{one.path}{suffix}"


def made(section: str, name: str) -> str:
    """Where the model or the row's index of a name lies that params.yaml asks for.

    The ``section`` is ``models`` or ``systems``; what it has no entry of stays as it is.
    """
    graph = graph_of(resolve(read_params(NAME), {}))
    if name not in getattr(graph.settings, section):
        return name
    path = file = f"{graph.root}/indexes/{name}.json"
    if section == "models":
        path, file = graph.model(name).path, graph.model(name).files[0]
    if not Path(file).is_file():
        raise InputError(
            f"{name}: params.yaml asks for {path}, which is not made yet. Make it: snakemake "
            f"--cores all {file}"
        )
    return path


def not_asked(graph: Graph) -> list[Path]:
    """What lies in the dataset's folder and no table or figure of the settings asks for."""
    checkpoints = {"models": Path(graph.root, "checkpoints"),
                   "grid": Path(graph.root, "checkpoints/grid")}  # fmt: skip
    kept = [Path(one.path) for one in graph.declared]
    kept += [checkpoints[one.kind] / one.id for one in graph.declared if one.kind in checkpoints]
    kinds = {kind for kinds in STAGES.values() for kind in kinds} | {"checkpoints"}
    return [path for kind in sorted(kinds) for path in strays(Path(graph.root, kind), kept)]


def prune(*, config: Iterable[tuple[str, Any]] = (), remove: bool = False) -> None:
    """Print what was made and is no longer asked for, largest first, and remove it if told to.

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
    graph = graph_of(settings_in(Path(), dict(config)))
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
