"""A tiny project that runs in seconds, what came out of it, and its commands as they are called."""

import contextlib
import csv
import hashlib
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil

from muver.io.checksums import LINE
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.reproduction.workspace.running import unlock
from tests.workflow.conftest import Project, tiny_project

FEW = {
    "results": ["table1"],
    "tables": {"table1": ["bm25", "muver_plain"]},
    "contrasts": [],
    "training": {"epochs": 1, "batch_size": 8, "validate_every": 2, "checkpoint_every": 1},
}
UNTRACKED = ("--config", "tracking={enabled: false}")
PATIENCE = 180  # seconds for whatever is to end by itself
SOON = 60  # seconds for what was told to end
TEMPORARY = (".tmp", ".new")  # end the names of what is not yet whole
# What differs between two runs that went well: times, and MLflow's own names for runs.
TIMED = {"report.html", "dvc.lock"}
# Of each row how its runs in MLflow stand, those that were given up left out.
ROWS = (
    "select t.value, r.status from runs r join tags t on t.run_uuid = r.run_uuid "
    "where t.key = 'row_key' and r.lifecycle_stage = 'active'"
)
OWN = {".git", ".snakemake", "logs", "mlartifacts", "mlflow.db", ".dvc"}


def made(folder: Path) -> Project:
    """A tiny project with two rows, compiled and not yet run."""
    return compiled(tiny_project(folder, **FEW))


def compiled(project: Project) -> Project:
    """Spare every copy of a project the compiling of its code."""
    project.run("python", "-m", "compileall", "-q", "muver")
    return project


def outcome(folder: Path) -> dict[str, str]:
    """Every file of a project by its path, with what has to be the same after each run."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if name.parts[0] in OWN or "__pycache__" in name.parts:
            continue
        if path.is_symlink():
            found[str(name)] = f"to {os.readlink(path)}"
        elif path.is_file():
            found[str(name)] = _content(path)
    found |= {f"MLflow, {run}": str(count) for run, count in runs(folder).items()}
    locks = folder / ".snakemake/locks"
    return found | {str(path.relative_to(folder)): "a lock" for path in locks.glob("*")}


def _content(path: Path) -> str:
    if path.name in TIMED:
        return "there"
    if path.suffix == ".sha256":  # of several lines of a file the last one counts
        lines = {name: digest for digest, name in LINE.findall(path.read_text())}
        timed = path.parent.name == "recorded" or path.with_suffix(".html").name in TIMED
        return str(sorted(lines if timed else lines.items()))
    if path.parent.name == "recorded":
        with path.open(newline="") as file:
            return str([(row["row_key"], row["method"]) for row in csv.DictReader(file)])
    return hashlib.sha256(path.read_bytes()).hexdigest()


def runs(folder: Path) -> Counter[str]:
    """How many runs MLflow has of each row, in the SQLite store of a folder."""
    if not (folder / "mlflow.db").exists():
        return Counter()
    with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as store:
        return Counter(f"{key} {status}" for key, status in store.execute(ROWS))


def differences(found: dict[str, str], wanted: dict[str, str]) -> str:
    """What is missing, is too much, or has other bytes; empty where all is the same."""
    said = [f"missing: {name}" for name in sorted(wanted.keys() - found.keys())]
    said += [f"stray: {name}" for name in sorted(found.keys() - wanted.keys())]
    said += [f"other: {name}" for name in sorted(found) if wanted.get(name, "") != found[name]
             and name in wanted]  # fmt: skip
    return "; ".join(said[:6]) + f" and {len(said) - 6} more" * (len(said) > 6)


def commands(project: Project, *arguments: str) -> list[list[str]]:
    """The calls of muver that make everything anew, as Snakemake would call them."""
    said = project.snakemake(*arguments, "-n", "-p", "--forceall", "--quiet", "host")
    called = [line for line in said.splitlines() if line.startswith("Shell command: muver ")]
    # A table's also has `&& muver record ...` behind it.
    return [shlex.split(line.partition(": ")[2].partition(" && ")[0]) for line in called]


def without_its_output(project: Project, words: list[str]) -> Project:
    """The project without what a stage makes, so that the stage has to make it."""
    if "--job" in words:
        job = read_json(project.folder / words[words.index("--job") + 1])
        made = project.folder / job.get("out", "none")
        shutil.rmtree(made) if made.is_dir() else made.unlink(missing_ok=True)
    return project


def working(folder: Path) -> list[psutil.Process]:
    """The processes that work in a folder, the first one first."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if Path(process.cwd()).is_relative_to(folder):
                found.append(process)
    return sorted(found, key=lambda one: (one.create_time(), one.pid))


def start(project: Project, command: list[str]) -> subprocess.Popen:
    """Start a command in a project, with its output in the folder beside it."""
    with project.folder.with_suffix(".said").open("w") as said:
        return subprocess.Popen(
            command, cwd=project.folder, env=project.environment, stdout=said, stderr=said,
            start_new_session=True,
        )  # fmt: skip


def kill(project: Project, started: subprocess.Popen, whom: str, chance) -> int:
    """Kill one process of a command, all of them or only the first; how many it were."""
    there = working(project.folder)
    if whom == "the first process":  # what was started, and the copy of the server that does it
        there = there[:2] if project.warm else there[:1]
    chosen = [chance.choice(there)] if whom == "one process" and there else there
    for process in chosen:
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            process.send_signal(signal.SIGKILL)
    started.wait(PATIENCE)
    return len(chosen)


def signalled(project: Project, started: subprocess.Popen, number: signal.Signals) -> str | None:
    """End the process that does a command's work by a signal; None if there was none any more.

    What is wrong: it takes too long, ends otherwise than by the signal, or leaves files.
    """
    there = working(project.folder)
    at_work = there[1:2] if project.warm else there[:1]
    if not at_work:
        started.wait(PATIENCE)
        return None
    with contextlib.suppress(psutil.Error):
        at_work[0].send_signal(number)
    try:
        code = started.wait(SOON)
    except subprocess.TimeoutExpired:
        kill(project, started, "all processes", None)
        return f"did not end in {SOON} s"
    said = project.folder.with_suffix(".said").read_text()
    left = [path.name for path in project.folder.rglob("*") if path.name.endswith(TEMPORARY)]
    if code not in (0, 128 + number):
        return f"ended with {code}: {said[-600:]}"
    if "Traceback" in said:
        return f"a traceback: {said[-600:]}"
    return f"left {', '.join(left)}" if left and code else ""


def idle(folder: Path) -> bool:
    """Wait until nothing works in a folder."""
    end = time.monotonic() + PATIENCE
    while working(folder):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def again(project: Project, command: list[str]) -> str:
    """Call a command that was killed once more, as a user would; what it says if it fails."""
    end = time.monotonic() + PATIENCE
    while any((project.folder / ".snakemake/locks").glob("*")) and time.monotonic() < end:
        with contextlib.suppress(InputError):  # a job is still alive
            unlock(project.folder)
        time.sleep(0.2)
    try:
        project.run(*command)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        if "is in use: " in str(error):  # by what outlives the kill; it says to wait for that
            return again(project, command) if idle(project.folder) else "it is in use for ever"
        return f"the second call failed: {str(error)[-600:]}"
    return ""
