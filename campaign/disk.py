"""A full disk and a folder that can't be written to, both real.

A change of an index, or a stage of the tiny project, works in a tmpfs that has room for a drawn
part of what it writes; then there is more room, and the same is done again. And both are done by an
ordinary user in folders that belong to another. A case holds if what can't be written is told in
words, leaves no half-written file and what was there as it was, and the second attempt gives what
an undisturbed one does. It needs root, which mounts the tmpfs.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from campaign import indexes
from campaign.child import TOLD, bounded
from campaign.damage import LOGGED
from campaign.plan import Case, Plan
from campaign.project import UNTRACKED, commands, made
from muver import cli
from muver.kb.index.index import Index

NOBODY = 65534
Work = Callable[[], object]
State = dict[str, bytes]


def attack(plan: Plan) -> Iterator[Case]:
    """Changes of an index, and stages."""
    if os.geteuid():
        raise SystemExit("the section `disk` needs root, to mount a tmpfs")
    for folder in (plan.folder, *plan.folder.parents):
        if folder.name.startswith("campaign-"):
            folder.chmod(0o755)
    plan.folder.chmod(0o755)
    works = {**_indexes(plan.folder / "words"), **_stages(plan.folder / "project")}
    for number, chance in plan.turns():
        for kind, (folder, work) in works.items():
            part = chance.random()
            wrong = _full(plan.folder / "kept", folder, work, part, plan.fault)
            yield Case(f"full disk, {kind}", f"case {number}: room for {part:.2f}", wrong)
            if number == 0:  # nothing is drawn
                yield Case(f"ordinary user, {kind}", "", _ordinary(folder, work, plan.fault))


def _indexes(outer: Path) -> dict[str, tuple[Path, Work]]:
    index = indexes.made(outer, 300).folder / "index"
    new, other = indexes.entities(300, 900), indexes.entities(100, seed=3)
    return {
        "index add": (outer, lambda: Index.open(index).add(new)),
        "index update": (outer, lambda: Index.open(index).update(other)),
        "index compact": (outer, lambda: Index.open(index).compact()),
    }


def _stages(folder: Path) -> dict[str, tuple[Path, Work]]:
    project = made(folder)
    project.snakemake(*UNTRACKED)
    found = {}
    for words in commands(project, *UNTRACKED):
        if words[1] == "stage" and words[2] != "metrics":
            work = partial(_called, folder, words[1:])
            work()  # imports what an ordinary user may not be able to read here
            found[f"stage {words[2]}"] = (folder / "build", work)
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


def _half(found: State, before: State, wanted: State) -> str:
    """Files that are neither as they were nor as they are to be."""
    return ", ".join(
        name
        for name, content in found.items()
        if content not in (before.get(name), wanted.get(name)) and not name.endswith("lock")
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
