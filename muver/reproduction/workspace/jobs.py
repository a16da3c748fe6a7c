"""What a step's command is told, in one file by path: its options, with settings among them.

So nothing that a user wrote stands in a command, and a job can be run again by hand:
``muver stage train --job build/miniwikia/jobs/models/muver-1a2b3c4d.json``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.io.files import CHECKSUM, read_json, short_hash, write_json
from muver.io.typed import overlay
from muver.reproduction.workspace.artifact import Artifact, File, Input
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.steps import BY_RULE


def job_of(graph: Graph, artifact: Artifact) -> dict[str, Any]:
    """The options of the command that makes an artifact, by name."""
    step = BY_RULE[artifact.rule]
    options = {
        step.called.get(role, role).replace("_", "-"): _path(value)
        for role, value in artifact.inputs.items()
    }
    options |= {name: f"{artifact.path}{suffix}" for name, suffix in step.out.items()}
    settings = overlay(artifact.settings, artifact.free)
    spread = {name.replace("_", "-"): value for name, value in settings.items()}
    options |= spread if step.spread else {"settings": settings}
    if step.compute:
        options["compute"] = {**graph.settings.compute.as_dict(), **artifact.machine}
    if step.trains:
        options["checkpoints"] = artifact.checkpoints
    if step.runs_a_model:
        options["label"] = artifact.label
    return {**options, **artifact.options}


def write_job(graph: Graph, artifact: Artifact) -> str:
    """Write :func:`job_of` to a file beside the dataset's artifacts; its path.

    Where settings are in no key of the artifact's name, they are in one of the file's.
    """
    options, name = job_of(graph, artifact), artifact.id
    if artifact.pinned and artifact.settings:
        name = f"{name}-{short_hash(options, 8)}"
    return _written(f"{graph.root}/jobs/{artifact.kind}/{name}.json", options)


def write_settings(graph: Graph, name: str, options: Mapping[str, Any]) -> str:
    """Write what the command of a table or figure is told, to a file named by its content.

    So another setting is another file, and the table outdated.
    """
    return _written(f"{graph.root}/jobs/results/{name}-{short_hash(options, 8)}.json", options)


def _written(path: str, options: Mapping[str, Any]) -> str:
    file, options = Path(path), json.loads(json.dumps(options))
    options[CHECKSUM] = short_hash(options, 64)
    if not file.is_file() or read_json(file) != options:
        write_json(file, options)
    return path


def _path(value: Input) -> Any:
    """A folder or file, or a list of them."""
    match value:
        case str():
            return value
        case File():
            return value.path
        case Artifact():
            of_folder = any(suffix.startswith("/") for suffix in value.suffixes)
            first = next(iter(value.suffixes), "")
            return value.path if of_folder else f"{value.path}{first}"
    return [_path(part) for part in value]
