"""A loss of power at every write: what was not flushed to the disk is gone.

Each call that flushes or renames is a moment at which the power goes off: of every file only the
bytes that were flushed remain, and of every folder either the names that were flushed, or all (file
systems differ), with whole files, empty ones or halves for what was not flushed. An index has to
hold the old or the new entities, after `muver index repair` at most; of an artifact every file has
to be whole, or told by the list of SHA-256.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from unittest import mock

from campaign import indexes
from campaign.plan import Case, Plan
from campaign.project import UNTRACKED, commands, made
from muver import cli
from muver.io import checksums
from muver.io.errors import InputError
from muver.kb.index import changes
from muver.kb.index.commands import repair
from muver.kb.index.index import Index

State = dict[str, bytes]  # what a disk holds: bytes by path


class Disk:
    """Watches a folder, and knows what would remain of it at each moment."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.flushed = {key: path.read_bytes() for path, key in self.files()}
        self.names = {path: self.flushed[key] for path, key in self.files()}
        self.states: list[tuple[str, State]] = []

    def files(self) -> Iterator[tuple[Path, int]]:
        """All that lies there now, with its number on the disk."""
        for top in chain(*map(self.folder.glob, ("*index*", "build", "results", "metrics"))):
            for path in top.rglob("*"):
                if path.is_file() and not path.is_symlink():
                    yield path, path.stat().st_ino

    def fsync(self, descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        self._moment(f"before the flush of {path.name}")
        if path.is_dir():
            self.names = {one: content for one, content in self.names.items() if one.parent != path}
            inside = [(one, key) for one, key in self.files() if one.parent == path]
            self.names |= {one: self.flushed.get(key, b"") for one, key in inside}
        else:
            self.flushed[path.stat().st_ino] = path.read_bytes()
            if path in self.names:
                self.names[path] = path.read_bytes()
        self._moment(f"after the flush of {path.name}")

    def replace(self, old: str | Path, new: str | Path) -> None:
        REPLACE(old, new)
        self._moment(f"after the name {Path(new).name}")

    def _moment(self, what: str) -> None:
        """Note what would remain if the power went off now."""
        now = dict(self.files())
        # A number is given to another file once its own is gone.
        self.flushed = {key: self.flushed[key] for key in now.values() if key in self.flushed}
        empty = {path: self.flushed.get(key, b"") for path, key in now.items()}
        halved = {path: self.flushed.get(key, path.read_bytes()[: path.stat().st_size // 2])
                  for path, key in now.items()}  # fmt: skip
        for how, files in (("names flushed", self.names), ("empty", empty), ("halved", halved)):
            state = {str(path.relative_to(self.folder)): content for path, content in files.items()}
            if not self.states or self.states[-1][1] != state:
                self.states.append((f"{what}, {how}", state))


REPLACE = os.replace


def watched(folder: Path, work: Callable[[], object], flush: bool = True) -> Disk:
    """Do some work and note what would remain of a folder at each moment of it.

    Without ``flush`` the work flushes nothing, as the fault that is to be seen.
    """
    disk = Disk(folder)
    fsync = disk.fsync if flush else lambda _: None
    with mock.patch("os.fsync", fsync), mock.patch("os.replace", disk.replace):
        work()
    disk._moment("at the end")
    return disk


def put(state: State, folder: Path) -> None:
    """Write a state."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in state.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def attack(plan: Plan) -> Iterator[Case]:
    """Every moment of five changes of an index, and of the stages of the tiny project."""
    yield from indexes_only(plan)
    yield from _artifacts(plan)


def indexes_only(plan: Plan) -> Iterator[Case]:
    """Every moment of five changes of an index."""
    base = indexes.made(plan.folder / "base", 40).folder / "index"
    new, other = indexes.entities(5, 90), indexes.entities(5, seed=2)
    works: dict[str, Callable[[Index], object]] = {
        "add": lambda index: index.add(new),
        "update": lambda index: index.update(other),
        "remove": lambda index: index.remove(["e3"]),
        "compact": lambda index: index.compact(),
    }
    for kind, work in works.items():
        folder = plan.folder / kind / "index"
        shutil.copytree(base, folder)
        before = indexes.answers(Index.open(folder))
        disk = watched(folder.parent, partial(work, Index.open(folder)), not plan.fault)
        after = indexes.answers(Index.open(folder))
        crashed = plan.folder / f"{kind}, crashed"
        for what, state in disk.states:
            put(state, crashed)
            yield Case(f"index {kind}", what, _of_index(crashed / "index", [before, after]))
    folder = plan.folder / "created"
    folder.mkdir()
    disk = watched(folder, lambda: Index.create(folder / "index", new, "bm25"), not plan.fault)
    whole = indexes.answers(Index.open(folder / "index"))
    for what, state in disk.states:
        put(state, plan.folder / "crashed")
        there = plan.folder / "crashed/index"
        yield Case("index create", what, _of_index(there, [whole]) if there.exists() else "")


def _of_index(folder: Path, allowed: list[dict[str, str]]) -> str:
    try:
        try:
            found = Index.open(folder)
        except InputError:
            repair(folder)
            found = Index.open(folder)
        wrong = changes.verify(folder)
    except InputError as error:
        return f"cannot be opened or repaired: {error}"
    return str(wrong) if wrong else "" if indexes.answers(found) in allowed else "other answers"


def _artifacts(plan: Plan) -> Iterator[Case]:
    project = made(plan.folder / "project")
    for words in commands(project, *UNTRACKED):
        with contextlib.chdir(project.folder):
            before = _whole(project.folder)
            disk = watched(project.folder, partial(cli.main, words[1:]), not plan.fault)
            after = _whole(project.folder)
        for what, state in disk.states:
            yield Case(" ".join(words[1:3]), what, _of_artifacts(state, before, after))


def _whole(folder: Path) -> State:
    return {str(path.relative_to(folder)): path.read_bytes() for path, _ in Disk(folder).files()}


def _of_artifacts(state: State, before: State, after: State) -> str:
    """The first file that is neither whole nor told; empty if there is none."""
    for name, content in state.items():
        digest, sound = (
            hashlib.sha256(content).hexdigest(),
            content in (before.get(name), after.get(name)),
        )
        if name.endswith(".pt"):  # it ends with its own checksum
            sound = hashlib.sha256(content[:-32]).digest() == content[-32:]
        elif name.endswith((".tmp", ".sha256")):
            continue
        elif where := checksums.list_of(Path(name)):
            listed = state.get(str(where), b"").decode("utf-8", "replace")
            here = os.path.relpath(name, where.parent)
            digests = [one for one, other in checksums.LINE.findall(listed) if other == here]
            sound = sound or (bool(digests) and digests[-1] != digest)
        if not sound:
            return f"{name} is neither whole nor told"
    return ""
