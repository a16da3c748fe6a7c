"""A disk that is full or can't be written to (both are real), or that fails.

A change of an index, or a stage of the tiny project, works in a tmpfs that has room for a drawn
part of what it writes; by an ordinary user in folders of another; in a project that is mounted
read-only; or one of its calls that rename or remove a file, or make a folder, fails. A case holds
if what can't be done is told in words, leaves no half-written file and what was there as it was,
and the second attempt gives what an undisturbed one does. It needs root, which mounts.
"""

import contextlib
import errno
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from campaign import indexes
from campaign.child import TOLD, bounded
from campaign.damage import LOGGED
from campaign.plan import Case, Plan
from campaign.project import UNTRACKED, commands, made
from muver import cli

NOBODY = 65534
# A checkpoint has its own checksum, and is gone on from; the state before a change is kept first.
KEPT = re.compile(r"lock$|(^|/)checkpoints/|(^|/)previous\.json$")
CALLS = ("replace", "rename", "unlink", "rmdir", "mkdir", "symlink")
FAILURES = (errno.EIO, errno.EACCES, errno.EROFS, errno.EXDEV, errno.ENOSPC, errno.ESTALE)
Work = Callable[[], object]
State = dict[str, bytes]


def attack(plan: Plan) -> Iterator[Case]:
    """Changes of an index, and stages."""
    for kind, folder, work, number, chance in _works(plan):
        part = chance.random()
        wrong = _full(plan.folder / "kept", folder, work, part, plan.fault)
        yield Case(f"full disk, {kind}", f"case {number}: room for {part:.2f}", wrong)
        if number == 0:  # nothing is drawn
            yield Case(f"ordinary user, {kind}", "", _ordinary(folder, work, plan.fault))
            yield Case(f"read-only disk, {kind}", "", _read_only(folder, work, plan.fault))


def failing(plan: Plan) -> Iterator[Case]:
    """Changes of an index, and stages, one of whose calls of the system fails."""
    for kind, folder, work, number, chance in _works(plan):
        what, wrong = _failed_call(plan.folder / "kept", folder, work, chance, plan.fault)
        yield Case(f"failing calls, {kind}", f"case {number}: {what}", wrong)


def _works(plan: Plan) -> Iterator[tuple[str, Path, Work, int, random.Random]]:
    """Each piece of work in turn, with the folder that it changes."""
    if os.geteuid():
        raise SystemExit("the section `disk` needs root, to mount a tmpfs")
    for folder in (plan.folder, *plan.folder.parents):
        if folder.name.startswith("campaign-"):
            folder.chmod(0o755)
    plan.folder.chmod(0o755)
    works = {**_indexes(plan.folder / "words"), **_stages(plan.folder / "project")}
    for number, chance in plan.turns():
        for kind, (folder, work) in works.items():
            yield kind, folder, work, number, chance


def _indexes(outer: Path) -> dict[str, tuple[Path, Work]]:
    indexes.made(outer, 300)
    return {
        f"index {name}": (outer, partial(_called, outer, words[1:]))
        for name, words in indexes.COMMANDS.items()
    }


def _stages(folder: Path) -> dict[str, tuple[Path, Work]]:
    project = made(folder)
    project.snakemake(*UNTRACKED)
    found = {}
    for words in commands(project, *UNTRACKED):
        if words[1] == "stage" and words[2] != "metrics":
            work = partial(_called, folder, words[1:])
            work()  # imports what an ordinary user may not be able to read here
            top = "results" if words[2] == "table" else "build"
            found[f"stage {words[2]}"] = (folder / top, work)
    return found


def _called(folder: Path, words: list[str]) -> int:
    with contextlib.chdir(folder):
        return cli.main(words)


def state(folder: Path) -> State:
    """The bytes of what lies in a folder, by name; the last list of a file counts."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.suffix not in LOGGED
    }


def _full(kept: Path, folder: Path, work: Work, part: float, fault: bool) -> str:
    """Do some work where there is room for a part of it, and then once more."""
    before = state(folder)
    shutil.copytree(folder, kept, symlinks=True)
    folder_mode = folder.stat().st_mode & 0o777
    try:
        with _mounted(folder, 1 << 30):
            shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
            used = _used(folder)
            assert bounded(work).code == 0
            wanted, needed = state(folder), max(_used(folder) - used, 1 << 18)
        with _mounted(folder, 1 << 30):
            shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
            _resize(folder, _used(folder) + int(needed * part))
            ended = bounded(_careless if fault else work)
            there = state(folder)
            if ended.crash:
                return ended.crash
            if ended.code == TOLD and _half(there, before, wanted):
                return f"told, and left {_half(there, before, wanted)}"
            _resize(folder, 1 << 30)
            again = bounded(work)
            if again.code and there != wanted:
                return f"the second time: {again.said[-400:]}"
            return _half(state(folder), wanted, wanted) * (ended.code == TOLD)
    finally:
        shutil.rmtree(kept)
        folder.chmod(folder_mode)


def _failed_call(
    kept: Path, folder: Path, work: Work, chance: random.Random, fault: bool
) -> tuple[str, str]:
    """Do some work, one of whose calls fails, and then once more: which call, and what is wrong."""
    before = state(folder)
    shutil.copytree(folder, kept, symlinks=True)
    counted = folder.parent / "calls"
    try:
        assert bounded(partial(_counting, work, counted)).code == 0
        wanted, calls = state(folder), counted.read_text().split()
        _put_back(kept, folder)
        if not calls:
            return "it calls none", ""
        number, code = chance.randrange(len(calls)), chance.choice(FAILURES)
        what = f"{calls[number]}, call {number} of {len(calls)}: {errno.errorcode[code]}"
        ended = bounded(_careless if fault else partial(_counting, work, counted, number, code))
        there = state(folder)
        if ended.crash:
            return what, ended.crash
        if ended.code == TOLD and _half(there, before, wanted):
            return what, f"told, and left {_half(there, before, wanted)}"
        again = bounded(work)
        if again.code and there != wanted:
            return what, f"the second time: {again.said[-400:]}"
        return what, _half(state(folder), wanted, wanted)
    finally:
        counted.unlink(missing_ok=True)
        _put_back(kept, folder)
        shutil.rmtree(kept)


def _counting(work: Work, counted: Path, failing: int = -1, code: int = 0) -> object:
    """Do some work, note its calls in a file, and have the one of a number fail."""
    seen: list[str] = []

    def watched(name: str, real: Callable[..., Any], *given: Any, **named: Any) -> Any:
        seen.append(name)
        if len(seen) - 1 == failing:
            raise OSError(code, os.strerror(code), *map(str, given[:1]))
        return real(*given, **named)

    with contextlib.ExitStack() as patched:
        for name in CALLS:
            patched.enter_context(
                mock.patch.object(os, name, partial(watched, name, getattr(os, name)))
            )
        done = work()
    counted.write_text(" ".join(seen))
    return done


def _put_back(kept: Path, folder: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(kept, folder, symlinks=True)


def _half(found: State, before: State, wanted: State) -> str:
    """Files that are neither as they were nor as they are to be."""
    return ", ".join(
        name
        for name, content in found.items()
        if content not in (before.get(name), wanted.get(name)) and not KEPT.search(name)
    )


def _careless() -> None:
    """The fault: work that a full disk surprises."""
    raise OSError("No space left on device")


def _ordinary(folder: Path, work: Work, fault: bool) -> str:
    """Do some work as a user who may read everything and write nothing."""
    before = state(folder)
    subprocess.run(["chmod", "-R", "a+rX", folder.parent], check=True)
    ended = bounded(partial(_as_nobody, _careless if fault else work))
    if ended.crash or ended.code != TOLD:
        return ended.crash or "it said nothing"
    return "" if state(folder) == before else "something was written"


def _read_only(folder: Path, work: Work, fault: bool) -> str:
    """Do some work on a disk that is mounted read-only, with the whole project."""
    folder = folder.parent if folder.name in ("build", "results") else folder
    before = state(folder)
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        ended = bounded(_careless if fault else work)
    finally:
        subprocess.run(["umount", folder], check=True)
    if ended.crash or ended.code != TOLD:
        return ended.crash or "it said nothing"
    return "" if state(folder) == before else "something was written"


def _as_nobody(work: Work) -> object:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    return work()


@contextlib.contextmanager
def _mounted(folder: Path, size: int) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "campaign", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def _resize(folder: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)


def _used(folder: Path) -> int:
    there = os.statvfs(folder)
    return (there.f_blocks - there.f_bfree) * there.f_frsize
