"""SIGKILL at a time drawn over a command's run, then the same command once more.

It goes to one process of it, to all, or to the first one alone, whose jobs then live on. A case
holds if the second call ends well and leaves every file of an undisturbed run with its bytes, no
other file, and one finished run of MLflow for each row. Where Snakemake's lock is left, `muver
unlock` comes before.
"""

import contextlib
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from campaign import indexes
from campaign.plan import Case, Plan
from campaign.project import (
    UNTRACKED,
    again,
    commands,
    compiled,
    differences,
    idle,
    kill,
    made,
    outcome,
    start,
)
from tests.workflow.conftest import Project
from tests.workflow.test_table2 import tiny_encyclopedia

WHOM = ("one process", "all processes", "the first process")
SNAKEMAKE = ["snakemake", "--cores", "2"]


class Target(NamedTuple):
    """A command, the folder in which it is called, and what is looked at afterwards."""

    base: Project
    command: list[str]
    outcome: Callable[[Path], dict[str, str]] = outcome


def workflow(plan: Plan) -> Iterator[Case]:
    """Kill Snakemake; one in four runs records in MLflow too, and one is Table 2's."""
    base = made(plan.folder / "base")
    table2 = compiled(tiny_encyclopedia(plan.folder / "table2"))
    targets = {
        "the workflow": Target(base, [*SNAKEMAKE, *UNTRACKED]),
        "the workflow, Table 2": Target(table2, [*SNAKEMAKE, *UNTRACKED, "preset=miniwikipedia"]),
        "the workflow, recorded": Target(base, SNAKEMAKE),
    }
    yield from killed(plan, targets, ["the workflow", *targets])


def others(plan: Plan) -> Iterator[Case]:
    """Kill what else writes: changes of an index, pre-training, training, recording, DVC."""
    fresh = made(plan.folder / "fresh")
    whole = fresh.copy(plan.folder / "whole")
    whole.snakemake(*UNTRACKED)
    calls = commands(whole)
    targets = {
        f"index {name}": Target(indexes.made(plan.folder / name), words, indexes.outcome)
        for name, words in indexes.COMMANDS.items()
    }
    for name in ("pretrain", "train"):
        (words,) = (one for one in calls if one[1:3] == ["stage", name])
        without = whole.copy(plan.folder / name)
        shutil.rmtree(without.folder / words[words.index("--out") + 1])
        targets[name] = Target(without, words)
    (record,) = (one for one in commands(whole, "record") if one[1] == "record")
    targets["record"] = Target(whole, record)
    targets["dvc repro"] = Target(fresh, ["dvc", "repro"])
    yield from killed(plan, targets)


def killed(plan: Plan, targets: dict[str, Target], order: Sequence[str] = ()) -> Iterator[Case]:
    """Kill the targets in turn, or in an order; a run that ended before is no case."""
    order = order or [*targets, *[one for one in targets if one != "dvc repro"] * 3]
    undisturbed: dict[str, tuple[dict[str, str], float]] = {}
    for number, chance in plan.turns():
        kind = order[number % len(order)]
        target = targets[kind]
        if kind not in undisturbed:
            undisturbed[kind] = _undisturbed(target, plan.folder / "undisturbed")
        wanted, seconds = undisturbed[kind]
        project = target.base.copy(plan.folder / str(number))
        count, what, wrong, lasted = _one(project, target, seconds, chance, plan.fault)
        if not count:  # other work has made the first run slow; times are drawn over this one
            undisturbed[kind] = wanted, lasted
        wrong = wrong or differences(target.outcome(project.folder), wanted)
        shutil.rmtree(project.folder)
        if count:
            yield Case(kind, f"case {number}: {what}", wrong)


def _undisturbed(target: Target, folder: Path) -> tuple[dict[str, str], float]:
    """What a run leaves that nobody kills, and the seconds that it takes."""
    project = target.base.copy(folder)
    began = time.monotonic()
    project.run(*target.command)
    seconds = time.monotonic() - began
    found = target.outcome(folder)
    shutil.rmtree(folder)
    return found, seconds


def _one(
    project: Project, target: Target, seconds: float, chance: random.Random, fault: bool
) -> tuple[int, str, str, float]:
    """Kill a run and call it again: how many processes, in words, what was wrong, its seconds."""
    whom, after = chance.choice(WHOM), chance.uniform(0, seconds)
    running, began = start(project, target.command), time.monotonic()
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(after)
    lasted = time.monotonic() - began
    count = kill(project, running, whom, chance)
    wrong = again(project, target.command)
    if not idle(project.folder):
        wrong = wrong or "a process of the killed run does not end"
    if fault and not wrong:  # as a file would be that the second call took for finished
        made = next(path for path in sorted(project.folder.rglob("*")) if _is_result(path))
        made.write_bytes(made.read_bytes()[:-1])
    return count, f"{whom} ({count}) after {after:.2f} of {seconds:.2f} s", wrong, lasted


def _is_result(path: Path) -> bool:
    return str(path).endswith(
        ("results/miniwikia/table1.csv", "results/miniwikipedia/table2.csv", "000001.arrow")
    )
