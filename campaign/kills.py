"""A signal at a time drawn over a command's run, then the same command once more.

SIGKILL goes to one process of the command, to all, or to the first alone, whose jobs live on.
SIGTERM and SIGHUP go to the process that works, which has to end within a minute, with the signal's
status, without a traceback, and leave no temporary file. A case holds if the second call ends well
and leaves every file of an undisturbed run with its bytes, no other, and one finished run of MLflow
a row. Where Snakemake's lock is left, `muver unlock` comes before.
"""

import contextlib
import random
import shutil
import signal
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
    signalled,
    start,
    without_its_output,
)
from tests.workflow.conftest import Project
from tests.workflow.test_table2 import tiny_encyclopedia

WHOM = ("one process", "all processes", "the first process")
SIGNALS = (signal.SIGTERM, signal.SIGHUP)
SNAKEMAKE = ["snakemake", "--cores", "2"]


# Does harm to a running command: which and to whom (empty where it had ended), and what is wrong.
Hit = Callable[[Project, subprocess.Popen, random.Random], tuple[str, str]]


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
        for name, words in (indexes.COMMANDS | indexes.CREATE).items()
    }
    for name in ("pretrain", "train"):
        (words,) = (one for one in calls if one[1:3] == ["stage", name])
        without = without_its_output(whole.copy(plan.folder / name), words)
        targets[name] = Target(without, words)
    (record,) = (one for one in commands(whole, "record") if one[1] == "record")
    targets["record"] = Target(whole, record)
    targets["dvc repro"] = Target(fresh, ["dvc", "repro"])
    yield from killed(plan, targets)


def stopped(plan: Plan) -> Iterator[Case]:
    """SIGTERM and SIGHUP: each stage, recording, what makes and changes an index."""
    for number in SIGNALS:  # what is started under nohup ignores one of them
        signal.signal(number, signal.SIG_DFL)
    whole = made(plan.folder / "whole")
    whole.snakemake(*UNTRACKED)
    targets = {
        f"index {name}": Target(indexes.made(plan.folder / name), words, indexes.outcome)
        for name, words in (indexes.COMMANDS | indexes.CREATE).items()
    }
    for words in [*commands(whole), *commands(whole, "record")[-1:]]:
        name = " ".join(words[1 : 2 + (words[1] == "stage")])
        if name not in targets:  # such as a second ranking
            project = whole.copy(plan.folder / name)
            targets[name] = Target(without_its_output(project, words), words)
    yield from killed(plan, targets, [*targets], hit=_signalled)


def killed(
    plan: Plan, targets: dict[str, Target], order: Sequence[str] = (), hit: Hit | None = None
) -> Iterator[Case]:
    """Kill the targets in turn, or in an order; a run that ended before is no case."""
    order = order or [*targets, *[one for one in targets if one != "dvc repro"] * 3]
    hit = hit or _shot
    undisturbed: dict[str, tuple[dict[str, str], float]] = {}
    for number, chance in plan.turns():
        kind = order[number % len(order)]
        target = targets[kind]
        if kind not in undisturbed:
            undisturbed[kind] = _undisturbed(target, plan.folder / "undisturbed")
        wanted, seconds = undisturbed[kind]
        project = target.base.copy(plan.folder / str(number))
        after = chance.uniform(0, seconds)
        running, began = start(project, target.command), time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(after)
        lasted = time.monotonic() - began
        whom, wrong = hit(project, running, chance)
        wrong = wrong or again(project, target.command)
        if not idle(project.folder):
            wrong = wrong or "a process of the killed run does not end"
        if plan.fault and not wrong:  # as a file would be that the second call took for finished
            result = next(path for path in sorted(project.folder.rglob("*")) if _is_result(path))
            result.write_bytes(result.read_bytes()[:-1])
        wrong = wrong or differences(target.outcome(project.folder), wanted)
        shutil.rmtree(project.folder)
        if whom:
            yield Case(kind, f"case {number}: {whom} after {after:.2f} of {seconds:.2f} s", wrong)
        else:  # other work has made the first run slow; times are drawn over this one
            undisturbed[kind] = wanted, lasted


def _undisturbed(target: Target, folder: Path) -> tuple[dict[str, str], float]:
    """What a run leaves that nobody kills, and the seconds that it takes."""
    project = target.base.copy(folder)
    began = time.monotonic()
    project.run(*target.command)
    seconds = time.monotonic() - began
    found = target.outcome(folder)
    shutil.rmtree(folder)
    return found, seconds


def _shot(project: Project, running: subprocess.Popen, chance: random.Random) -> tuple[str, str]:
    """SIGKILL: to whom, empty where all had ended; nothing is wrong yet."""
    whom = chance.choice(WHOM)
    count = kill(project, running, whom, chance)
    return f"{whom} ({count})" * bool(count), ""


def _signalled(
    project: Project, running: subprocess.Popen, chance: random.Random
) -> tuple[str, str]:
    """SIGTERM or SIGHUP: which, empty where the command had ended; and what is wrong."""
    number = chance.choice(SIGNALS)
    found = signalled(project, running, number)
    return (number.name, found) if found is not None else ("", "")


def _is_result(path: Path) -> bool:
    names = ("results/miniwikia/table1.csv", "results/miniwikipedia/table2.csv", "000001.arrow")
    return str(path).endswith(names)
