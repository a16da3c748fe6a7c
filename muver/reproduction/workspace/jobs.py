"""What a step's command is told, in one file by path: its options, with settings among them.

So nothing that a user wrote stands in a command, and a job can be run again by hand:
``muver stage train --job build/miniwikia/jobs/models/muver-1a2b3c4d.json``.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from muver.io.files import read_json, short_hash, write_json
from muver.reproduction.workspace.artifact import Artifact, File, Input
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.steps import BY_RULE
from muver.reproduction.workspace.worlds import Worlds

OF_INDEX = ("store", "merged", "global_views", "entities")  # of what a run is made of
Place = Callable[[str], str]  # where a file or folder lies on this machine


def job_of(graph: Graph, one: Artifact, place: Place = str) -> dict[str, Any]:
    """The options of the command that makes an artifact, by name."""
    step = BY_RULE[one.rule]
    told = {
        step.called.get(role, role).replace("_", "-"): _placed(given, place)
        for role, given in one.inputs.items()
    }
    told |= {name: place(f"{one.path}{suffix}") for name, suffix in step.out.items()}
    settings = {**one.settings, **one.free}
    told |= settings if step.spread else {"settings": settings}
    if step.compute:
        told["compute"] = {**graph.settings.compute.as_dict(), **one.machine}
    if step.trains:
        folder = "checkpoints/grid" if one.kind == "grid" else "checkpoints"
        told["checkpoints"] = place(f"{graph.root}/{folder}/{one.id}")
    if step.runs_a_model:
        told["label"] = one.label
    return told | graph.told(one, place)


def index_job(graph: Worlds, system: str, place: Place = str) -> dict[str, Any]:
    """The options of the command that writes the index of a row."""
    run = graph.run(system, graph.sets[0])
    model = graph.model(graph.settings.systems[system].model)
    told = {role: _placed(given, place) for role, given in run.inputs.items() if role in OF_INDEX}
    told |= {"model": place(model.path), "sentences": place(graph.texts["sentences"].path)}
    if system in graph.settings.tried:
        told["chosen"] = place(run[".json"].path)
    told = {role.replace("_", "-"): given for role, given in told.items()}
    out = place(f"{graph.root}/indexes/{system}")
    return {**told, "settings": {**run.settings, **run.free}, "out": out}


def write_job(graph: Graph, one: Artifact, place: Place = str) -> str:
    """Write :func:`job_of` to a file beside the dataset's artifacts; its path."""
    return _written(f"{graph.root}/jobs/{one.kind}/{one.id}.json", job_of(graph, one, place))


def write_settings(graph: Graph, name: str, told: Mapping[str, Any]) -> str:
    """Write what the command of a table or figure is told, to a file named by its content.

    So another setting is another file, and the table outdated.
    """
    return _written(f"{graph.root}/jobs/results/{name}-{short_hash(told, 8)}.json", told)


def _written(path: str, told: Mapping[str, Any]) -> str:
    file = Path(path)
    if not file.is_file() or read_json(file) != json.loads(json.dumps(told)):
        write_json(file, told)
    return path


def _placed(given: Input, place: Place) -> Any:
    """A folder or file, or a list of them."""
    match given:
        case str():
            return place(given) if given.startswith("build/") else given
        case File():
            return place(given.path)
        case Artifact():
            of_folder = any(suffix.startswith("/") for suffix in given.suffixes)
            first = next(iter(given.suffixes), "")
            return place(given.path if of_folder else f"{given.path}{first}")
    return [_placed(one, place) for one in given]
