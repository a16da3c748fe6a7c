"""The kernel kills a process for its memory, at a time drawn over a run.

The process that works is put into a control group (version 1) whose limit is below what it has. A
command's case holds as in the other kills. A service is killed while entities are put into its
index: it holds if the index is whole, has all that was answered, and is served again.
"""

import contextlib
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from campaign import indexes, kills
from campaign.plan import ROOT, Case, Plan
from campaign.project import (
    PATIENCE,
    UNTRACKED,
    commands,
    made,
    without_its_output,
    working,
)
from muver.io.errors import InputError
from muver.kb.index import changes
from muver.kb.index.index import Index
from tests.kb.serve.conftest import TOKEN
from tests.workflow.conftest import Project

GROUP = Path("/sys/fs/cgroup/memory/campaign")
MUVER = "import sys; from muver.cli import main; sys.exit(main())"
SERVED = re.compile(r"(http://127\.0\.0\.1:\d+) ")


def attack(plan: Plan) -> Iterator[Case]:
    """A training, a pre-training, an encoding, what makes and changes an index, and a service."""
    GROUP.mkdir(exist_ok=True)
    yield from _services(plan)
    whole = made(plan.folder / "whole")
    whole.snakemake(*UNTRACKED)
    targets = {
        f"index {name}": kills.Target(indexes.made(plan.folder / name), words, indexes.outcome)
        for name, words in (indexes.COMMANDS | indexes.CREATE).items()
    }
    for name in ("train", "pretrain", "encode"):
        words = next(one for one in commands(whole) if one[1:3] == ["stage", name])
        without = without_its_output(whole.copy(plan.folder / name), words)
        targets[f"stage {name}"] = kills.Target(without, words)
    yield from kills.killed(plan, targets, [*targets], hit=_starved)


def starve(process: psutil.Process) -> None:
    """Let the kernel kill a process when it next asks for memory."""
    (GROUP / "memory.limit_in_bytes").write_text(str(1 << 20))
    with contextlib.suppress(psutil.Error, OSError):  # it has ended
        (GROUP / "cgroup.procs").write_text(str(process.pid))


def _starved(project: Project, running: subprocess.Popen, chance: random.Random) -> tuple[str, str]:
    for process in working(project.folder)[1 if project.warm else 0 :][:1]:
        starve(process)
    killed = running.wait(PATIENCE) in (-signal.SIGKILL, 128 + signal.SIGKILL)
    return "out of memory" * killed, ""


def _services(plan: Plan) -> Iterator[Case]:
    """Cases of services: a third of all."""
    base = indexes.made(plan.folder / "served", 200)
    for number, chance in plan.turns():
        if number % 3 == 0:
            project = base.copy(plan.folder / f"served-{number}")
            after = chance.uniform(0, 3)
            wrong = _put_until(project.folder / "index", after, plan.fault)
            yield Case("a service", f"case {number}: out of memory after {after:.2f} s", wrong)
            shutil.rmtree(project.folder)


def started(index: Path, *more: str, files: int = 1024) -> subprocess.Popen:
    """A service that is started, with so many open files at most."""
    (token := index.with_suffix(".token")).write_text(TOKEN)
    token.chmod(0o600)
    own = [sys.executable, "-c", MUVER, "serve", index, "--port", "0", "--token-file", token]
    with index.with_suffix(".said").open("w+") as said:
        command = ["prlimit", f"--nofile={files}", *own, *more]
        return subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said)


def served(index: Path, *more: str, files: int = 1024) -> tuple[subprocess.Popen, str]:
    """The same when it is ready, and its address."""
    running = started(index, *more, files=files)
    while not (found := SERVED.search(index.with_suffix(".said").read_text())):
        if running.poll() is not None:
            raise RuntimeError(index.with_suffix(".said").read_text())
        time.sleep(0.05)
    return running, found[1]


def asked(address: str, method: str, body: dict[str, Any] | None = None) -> None:
    """Ask a service, and read its answer."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    given = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, given, headers, method=method)
    try:
        urllib.request.urlopen(request, timeout=PATIENCE).read()
    except urllib.error.HTTPError as error:
        raise RuntimeError(error.read()) from None


def _put_until(index: Path, after: float, fault: bool) -> str:
    """Put entities into a served index until it is killed: what is wrong with it then."""
    answered: list[str] = []
    running, address = served(index)
    end = time.monotonic() + after
    with contextlib.suppress(OSError):  # it was killed
        while True:
            if answered and time.monotonic() > end:
                starve(psutil.Process(running.pid))
            name = f"new{len(answered)}"
            asked(f"{address}/entities/{name}", "PUT", {"title": f"tower {name}", "world": "alder"})
            answered.append(name)
    if running.wait(PATIENCE) != -signal.SIGKILL:
        return "it was not killed"
    try:
        there = Index.open(index)
        if fault:
            there.remove(answered[-1:])
        wrong = changes.verify(index)
        missing = [name for name in answered if not there.has(name)]
    except InputError as error:
        return str(error)
    if wrong or missing:
        return f"{wrong or ''} missing: {missing}"
    again, address = served(index)
    asked(f"{address}/retrieve", "POST", {"mentions": [{"mention": "tower"}], "k": 1})
    again.terminate()
    return "it does not end by SIGTERM" * (again.wait(PATIENCE) != 0)
