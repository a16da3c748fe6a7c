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

    @cached_property
    def key(self) -> str:
        """Hash of kind, name, settings and the keys of the inputs."""
        inputs = {role: [_key(one) for one in _each(given)] for role, given in self.inputs.items()}
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
    def path(self) -> str:
        """What all its files begin with: a folder, or a file's path without its suffix."""
        return f"{self.root}/{self.kind}/{self.id}"

    @property
    def files(self) -> list[str]:
        """All files."""
        return [f"{self.path}{suffix}" for suffix in self.suffixes]

    def __getitem__(self, suffix: str) -> File:
        """One of the files."""
        return File(self, suffix)

    @property
    def input_files(self) -> dict[str, str | list[str]]:
        """Paths of what its stage reads, by the name of the input: of one file, or several."""
        return {
            role: _paths(given)[0]
            if isinstance(given, str | File)
            else [path for one in _each(given) for path in _paths(one)]
            for role, given in self.inputs.items()
        }

    @property
    def parents(self) -> list["Artifact"]:
        """The artifacts among its inputs."""
        inputs = (one for given in self.inputs.values() for one in _each(given))
        made = (one for one in inputs if not isinstance(one, str))
        return [one.artifact if isinstance(one, File) else one for one in made]


def with_origins(artifacts: Sequence[Artifact]) -> list[Artifact]:
    """The artifacts and all that they are made of, each once, every one after its inputs."""
    ordered: dict[str, Artifact] = {}

    def add(one: Artifact) -> None:
        if one.path not in ordered:
            for parent in one.parents:
                add(parent)
            ordered[one.path] = one

    for one in artifacts:
        add(one)
    return list(ordered.values())


def _each(given: Input) -> Iterator[str | File | Artifact]:
    return iter([given] if isinstance(given, str | File | Artifact) else given)


def _paths(one: str | File | Artifact) -> list[str]:
    if isinstance(one, Artifact):
        return one.files
    return [one.path if isinstance(one, File) else one]


def _key(one: str | File | Artifact) -> str:
    if isinstance(one, str):
        return one
    if isinstance(one, File):
        return f"{_key(one.artifact)}{one.suffix}"
    return one.path if one.pinned else one.key


CATALOG = "catalog.json"


def add_to_catalog(root: Path, artifacts: Iterable[Artifact]) -> None:
    """Add artifacts to the catalog of their dataset's folder."""
    known = read_catalog(root)
    below = {one.path: one.path.removeprefix(f"{one.root}/") for one in artifacts}
    made = {below[one.path]: [below[own.path] for own in one.parents] for one in artifacts}
    if not made.items() <= known.items():
        write_json(root / CATALOG, {**known, **made})


def read_catalog(root: Path) -> dict[str, list[str]]:
    """By each artifact's path below the folder, without suffixes, the paths of its inputs."""
    path = root / CATALOG
    return dict(read_json(path)) if path.is_file() else {}


def place_of(path: Path) -> tuple[Path, str] | None:
    """The dataset's folder that a file lies in, and its path below it without its suffix.

    A link, as ``build/<dataset>/current`` has them, is followed. None in no dataset's folder.
    """
    path = path.resolve()
    for root in path.parents:
        if (root / CATALOG).is_file():
            return root, path.relative_to(root).with_suffix("").as_posix()
    return None


def origins(root: Path, one: str) -> dict[str, Path]:
    """By kind, the nearest artifact that one was made from; its own kind's is itself."""
    catalog, waiting = read_catalog(root), [one]
    for place in waiting:
        waiting += [own for own in catalog.get(place, []) if own not in waiting]
    return {place.partition("/")[0]: root / place for place in reversed(waiting)}
