"""An artifact: something that a stage makes, named by the settings and the data that made it.

What every artifact of a dataset's folder is made of stands in one file beside them, the catalog. A
key stands for settings and inputs, so that a line once written stays true whatever params.yaml says
later: lines are only added.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Union

from muver.io.files import read_json, short_hash, write_json

DIGITS = 8  # of a key


class File(NamedTuple):
    """One of an artifact's files, where a stage does not read them all."""

    artifact: "Artifact"
    suffix: str

    @property
    def path(self) -> str:
        """Where it lies."""
        return f"{self.artifact.path}{self.suffix}"


# A path is a file that nobody makes: it is given, or lies in the user's directory.
Input = Union[str, File, "Artifact", Sequence[Union[str, File, "Artifact"]]]


@dataclass(frozen=True, eq=False)
class Artifact:
    """What one job makes: a folder or files, ``build/<workspace>/<kind>/<name>-<key>``."""

    root: str  # the dataset's folder, build/<workspace>
    kind: str  # the folder below it, such as models
    name: str  # as params.yaml has it, or test/muver of a set; empty where a kind has one artifact
    rule: str  # that makes it
    suffixes: Sequence[str]  # what its files are called after its own path
    settings: Mapping[str, Any] = field(default_factory=dict)  # its stage's, which move numbers
    inputs: Mapping[str, Input] = field(default_factory=dict)  # what its stage reads, by role
    free: Mapping[str, Any] = field(default_factory=dict)  # that move no number: memory, threads
    # Of the machine, which move numbers; where a stage takes them apart from the others.
    machine: Mapping[str, Any] = field(default_factory=dict)
    pinned: bool = False  # whether a published checksum says what it holds: its name needs no key
    options: Mapping[str, Any] = field(default_factory=dict)  # further options of its command

    @cached_property
    def key(self) -> str:
        """Hash of kind, name, settings and the keys of the inputs."""
        inputs = {
            role: [_key(source) for source in _each(value)] for role, value in self.inputs.items()
        }
        made_of = {"settings": self.settings, "machine": self.machine, "inputs": inputs}
        return short_hash({"kind": self.kind, "name": self.name, **made_of}, DIGITS)

    @property
    def id(self) -> str:
        """The name with the key."""
        return self.name if self.pinned else f"{self.name}-{self.key}".removeprefix("-")

    @property
    def label(self) -> str:
        """The name without the set: that of the model or system."""
        return self.name.rpartition("/")[2]

    @property
    def set(self) -> str:
        """The set of mentions that it is of; empty if of none."""
        return self.name.rpartition("/")[0]

    @property
    def place(self) -> str:
        """Its path from the dataset's folder."""
        return f"{self.kind}/{self.id}"

    @property
    def path(self) -> str:
        """What all its files begin with: a folder, or a file's path without its suffix."""
        return f"{self.root}/{self.place}"

    @property
    def files(self) -> list[str]:
        """All files."""
        return [f"{self.path}{suffix}" for suffix in self.suffixes]

    @property
    def checkpoints(self) -> str:
        """Where a training keeps its checkpoints."""
        points = "checkpoints/grid" if self.kind == "grid" else "checkpoints"
        return f"{self.root}/{points}/{self.id}"

    def __getitem__(self, suffix: str) -> File:
        """One of the files."""
        return File(self, suffix)

    @property
    def input_files(self) -> dict[str, str | list[str]]:
        """Paths of what its stage reads, by the name of the input: of one file, or several."""
        return {
            role: _paths(value)[0]
            if isinstance(value, str | File)
            else [path for source in _each(value) for path in _paths(source)]
            for role, value in self.inputs.items()
        }

    @property
    def parents(self) -> list["Artifact"]:
        """The artifacts among its inputs."""
        inputs = (source for value in self.inputs.values() for source in _each(value))
        artifacts = (source for source in inputs if not isinstance(source, str))
        return [source.artifact if isinstance(source, File) else source for source in artifacts]


def with_origins(artifacts: Sequence[Artifact]) -> list[Artifact]:
    """The artifacts and all that they are made of, each once, every one after its inputs."""
    ordered: dict[str, Artifact] = {}

    def add(artifact: Artifact) -> None:
        if artifact.path not in ordered:
            for parent in artifact.parents:
                add(parent)
            ordered[artifact.path] = artifact

    for artifact in artifacts:
        add(artifact)
    return list(ordered.values())


def _each(value: Input) -> Iterator[str | File | Artifact]:
    return iter([value] if isinstance(value, str | File | Artifact) else value)


def _paths(source: str | File | Artifact) -> list[str]:
    if isinstance(source, Artifact):
        return source.files
    return [source.path if isinstance(source, File) else source]


def _key(source: str | File | Artifact) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, File):
        return f"{_key(source.artifact)}{source.suffix}"
    return source.path if source.pinned else source.key


def add_to_catalog(root: Path, artifacts: Iterable[Artifact]) -> None:
    """Add to the catalog of a dataset's folder of which others each artifact is made."""
    path = root / "catalog.json"
    known = read_json(path) if path.is_file() else {}
    parents = {a.place: [parent.place for parent in a.parents] for a in artifacts}
    if not parents.items() <= known.items():
        write_json(path, {**known, **parents})
