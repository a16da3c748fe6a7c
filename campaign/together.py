"""Two at once: in one folder, or on one MLflow store.

Two Snakemakes in one clone, `dvc repro` beside Snakemake, `muver prune --remove` beside a run,
eight recorders of one table, and two clones that record the same rows in one store: SQLite, and
PostgreSQL where that and `make .venv/servers` are. Each has to end well or say who is at work;
after the first command was called once more all files are those of a single run, and MLflow has one
finished run a row.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from campaign.kills import SNAKEMAKE
from campaign.plan import Case, Plan
from campaign.project import (
    PATIENCE,
    ROWS,
    UNTRACKED,
    again,
    commands,
    differences,
    made,
    outcome,
    runs,
    start,
)
from tests.cluster.on_server import SERVERS, postgres_tool, postgresql
from tests.workflow.conftest import Project

RUN = [*SNAKEMAKE, *UNTRACKED]
POSTGRESQL = "two clones, one PostgreSQL"
BESIDE = {
    "two runs in a clone": RUN,
    "prune beside a run": ["muver", "prune", "--remove"],
    "DVC beside Snakemake": ["dvc", "repro"],
}


def attack(plan: Plan) -> Iterator[Case]:
    """Each pair in turn, the second one begun at a drawn time."""
    fresh = made(plan.folder / "fresh")
    whole = fresh.copy(plan.folder / "whole")
    whole.snakemake(*UNTRACKED)
    wanted = outcome(whole.folder)
    (record,) = (one for one in commands(whole, "record") if one[1] == "record")
    single = whole.copy(plan.folder / "single")
    single.run(*record)
    kinds = ["eight recorders", "two clones, one store", *BESIDE]
    try:
        postgres_tool("initdb")
        assert SERVERS.is_dir(), "make .venv/servers"
        kinds.insert(2, POSTGRESQL)
    except AssertionError as error:
        print(f"PostgreSQL is not tried: {error}")
    for number, chance in plan.turns():
        for kind in kinds:
            folder = plan.folder / str(number)
            if kind in BESIDE:
                wrong = _beside(fresh.copy(folder), BESIDE[kind], wanted, chance, plan.fault)
            else:
                wrong = _recorders(whole, folder, record, kind, runs(single.folder), plan.fault)
            for path in plan.folder.glob(f"{number}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            yield Case(kind, f"case {number}", wrong)


def _beside(
    project: Project, second: list[str], wanted: dict[str, str], chance: random.Random, fault: bool
) -> str:
    """What goes wrong if a command is called beside a run of Snakemake."""
    running = start(project, RUN)
    time.sleep(chance.uniform(0, 12))
    said = _ended(project, second)
    running.wait(PATIENCE)
    said += project.folder.with_suffix(".said").read_text()
    if "Traceback" in said:
        return f"a traceback: {said[-600:]}"
    wrong = again(project, RUN)
    if fault:
        (project.folder / "results/miniwikia/table1.csv").write_text("")
    found = {name: one for name, one in outcome(project.folder).items() if _is_made(name)}
    return wrong or differences(found, {n: one for n, one in wanted.items() if _is_made(n)})


def _is_made(name: str) -> bool:
    """Not what DVC alone writes."""
    return name.startswith(("build/", "results/", "metrics/")) and "asked" not in name.split("/")


def _ended(project: Project, command: list[str]) -> str:
    done = subprocess.run(
        command, cwd=project.folder, env=project.environment, text=True, timeout=PATIENCE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout


def _recorders(
    whole: Project, folder: Path, record: list[str], kind: str, wanted: dict, fault: bool
) -> str:
    """What goes wrong if several record the same rows at once."""
    folder.mkdir()
    with contextlib.ExitStack() as server:
        store = f"sqlite:///{folder}/mlflow.db"
        if kind == POSTGRESQL:
            store = server.enter_context(contextlib.contextmanager(postgresql)())
        address = f"MLFLOW_TRACKING_URI={store}"
        count = 0 if fault else 8 if kind.startswith("eight") else 1
        clones = [whole.copy(folder / name) for name in ("a", "b")[: 1 if count == 8 else 2]]
        calls = [
            start(one, ["env", f"PYTHONPATH={one.folder}:{SERVERS}", address, *record])
            for one in clones
            for _ in range(count)
        ]
        try:
            codes = [one.wait(2 * PATIENCE) for one in calls]
        except subprocess.TimeoutExpired:
            for one in calls:
                os.killpg(one.pid, signal.SIGKILL)
            return f"a recorder did not end in {2 * PATIENCE} s"
        found = _in_postgresql(store) if kind == POSTGRESQL else runs(folder)
    said = "".join(path.read_text() for path in folder.glob("*.said"))
    if any(codes):
        return f"ended with {codes}: {said[-600:]}"
    return "" if found == wanted else f"runs {dict(found)}, a single recorder has {dict(wanted)}"


def _in_postgresql(address: str) -> Counter[str]:
    asked = [postgres_tool("psql"), address, "-AtF ", "-c", ROWS]
    return Counter(subprocess.run(asked, text=True, stdout=subprocess.PIPE).stdout.splitlines())
