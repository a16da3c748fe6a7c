"""A copy of the project with a very small miniwikia, and the tools run in it as a user would."""

import contextlib
import csv
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
import yaml

from muver.options import setting
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.workspace import Artifact, graph_of
from tests.workflow import warm

ROOT = Path(__file__).parents[2]
PARAMS = read_params(ROOT / "params.yaml")
TINY = {
    "dataset": ".test/tiny",
    "encoder": "scratch",
    "scratch": {"vocabulary": 300, "hidden": 32, "intermediate": 64},
    "pretrain": {"steps": 3, "batch_size": 8},
    "bm25": {"k1": 0.9, "b": 0.4},
    "evaluate": {"cutoffs": [1, 2, 4, 8, 16]},
    "retrieve": {"k": 16},
    "merge": {"layers": 2},
    "systems": {"muver": {"merge_layers": 2}},
    "sweep": {"searches": ["distant", "close_full"], "cutoff": 16},
    "rerank": {"depth": 4},
    "aggregates": {"log_mean_exp": {"temperature": [0.5, 2]}},
    "figures": {"figure2": {"cutoff": 16}},
    "results": [*PARAMS["presets"]["miniwikia"]["results"], "beyond", "linking", "grid"],
    "grid": {
        "models": ["muver"],
        "batch_size": [8],
        "learning_rate": [1.0e-3, 2.0e-3],
        "initial_scale": [5],
    },
    "tables": {
        "seeds": {"rows": ["muver"], "against": "muver", "repeat_seeds": [10001]},
        "linking": {"rows": ["muver", "muver_reranked"]},
        "beyond": {
            "caption": "Beyond the paper: recall@k in percent",
            "against": "muver",
            "rows": [
                "muver",
                "muver_global_merged",
                "muver_bm25_rrf",
                "muver_bm25",
                "muver_log_mean_exp",
            ],
        },
    },
}
# Three rows and the smallest set of results that has them; recording is tested by all results.
FEW = {
    "results": ["table1", "table6"],
    "tracking": {"enabled": False},
    "tables": {"table1": ["bm25", "muver_plain", "muver"], "table6": ["muver"]},
}
TRAINING = {"epochs": 1, "batch_size": 8, "validate_every": 2, "checkpoint_every": 1}
BUILT = "build/miniwikia/current"  # what the settings ask for, by names without keys
CHECKPOINT = "build/miniwikia/checkpoints/muver-*/last.pt"
RECORDED = "build/miniwikia/recorded/table1.csv"


class Project:
    """A project folder of its own, with the commands on the path."""

    warm = sys.platform == "linux"  # whether commands are run without their start

    def __init__(self, folder: Path):
        self.folder = folder
        self.notes: dict[str, Any] = {}  # of how it was made

    @property
    def environment(self) -> dict[str, str]:
        """Variables for a command."""
        path = [warm.BIN] * self.warm + [str(Path(sys.executable).parent), os.environ["PATH"]]
        environment = {
            **os.environ,
            **(warm.start() if self.warm else {}),
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(self.folder),
            "HF_HUB_OFFLINE": "1",
            "GIT_AUTHOR_NAME": "test",
            "GIT_AUTHOR_EMAIL": "test@example.org",
            "GIT_COMMITTER_NAME": "test",
            "GIT_COMMITTER_EMAIL": "test@example.org",
        }
        environment.pop("MLFLOW_TRACKING_URI", None)
        return environment

    def run(self, *command: str, ok: bool = True) -> str:
        """Run a command here; its output, both streams."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=900,
        )
        assert (done.returncode == 0) == ok, f"{' '.join(command)}\n{done.stdout}"
        return done.stdout

    def snakemake(self, *arguments: str, ok: bool = True) -> str:
        return self.run("snakemake", "--cores", "2", *arguments, ok=ok)

    def planned(self, *arguments: str) -> dict[str, int]:
        """Jobs that a dry run announces, by rule."""
        return self.counts(self.snakemake("-n", *arguments))

    def counts(self, said: str) -> dict[str, int]:
        """Jobs that Snakemake said it would run, by rule."""
        table = said.rpartition("Job stats:")[2]
        return {
            rule: int(count)
            for rule, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)
            if rule not in ("all", "total")
        }

    def change(self, name: str = "miniwikia", **sections: object) -> None:
        """Change a preset's sections, the default one's if none is named."""
        path = self.folder / f"presets/{name}.yaml"
        preset = yaml.safe_load(path.read_text(encoding="utf-8"))
        for key, value in sections.items():
            preset[key] = {**preset.get(key, {}), **value} if isinstance(value, dict) else value
        path.write_text(yaml.safe_dump(preset, sort_keys=False), encoding="utf-8")

    def finished(self, said: str) -> set[str]:
        """Rules whose jobs a run says to have finished."""
        return set(re.findall(r"^\[\d+ of \d+ jobs[^]]*\] (\w+)", said, re.MULTILINE))

    def place(self, kind: str, name: str, *config: str) -> Artifact:
        """An artifact of these settings."""
        overrides = dict(setting(one) for one in config if one != "--config")
        with contextlib.chdir(self.folder):
            graph = graph_of(resolve(read_params("params.yaml"), overrides))
            made = graph.by_place.values()
            return next(one for one in made if (one.kind, one.name) == (kind, name))

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def json(self, path: str) -> Any:
        return json.loads(self.read(path))

    def lines(self, path: str) -> list[dict[str, str]]:
        """The lines of a CSV file, by its header."""
        return list(csv.DictReader(self.read(path).decode().splitlines()))

    def shown_by_dvc(self, *command: str) -> Any:
        """The JSON that a command of DVC prints; messages before it are passed over."""
        said = self.run("dvc", *command, "--json")
        return json.loads(said[said.index("{") :])

    def commit(self, message: str) -> None:
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", message)

    def copy(self, folder: Path) -> "Project":
        """The project once more, records and cache included, to change things in."""
        return Project(shutil.copytree(self.folder, folder, symlinks=True))


def copy_of_the_project(folder: Path) -> Project:
    """Copy what git would commit, so that an unclean tree is tested as it is."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, text=True, capture_output=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for name in listed:
        if name.startswith(("tests/", "docs/")) or not (ROOT / name).is_file():
            continue
        for file in (name, cache_from_source(name)):  # so that modules are compiled once for all
            if (ROOT / file).is_file():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, folder / file)
    project = Project(folder)
    project.run("git", "init", "-q", "-b", "main")
    return project


def tiny_project(folder: Path, **sections: object) -> Project:
    """A copy of the project with the very small miniwikia, committed and not yet run."""
    project = copy_of_the_project(folder)
    project.change(**TINY, training=TRAINING)
    project.change(**sections)
    project.commit("tiny")
    return project


def shared(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Project], dict[str, Any]]
) -> Project:
    """A copy of a project that is made once, whichever process of the test run comes first.

    What ``make`` returns is in the project's ``notes``.
    """
    common = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    made = common / f"{name}.json"
    with (common / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        if not made.exists():
            project = tiny_project(factory.mktemp(name))
            notes = make(project)
            made.write_text(json.dumps({"folder": str(project.folder), "notes": notes}))
    first = json.loads(made.read_text())
    project = Project(Path(first["folder"])).copy(factory.mktemp(name) / "copy")
    project.notes = first["notes"]
    return project


@pytest.fixture(scope="session")
def main_job(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Every table and figure of the default preset, made by Snakemake in three calls.

    The second is killed while it trains. The notes have the files that were ``left`` by the kill,
    and what was ``said`` by `muver unlock` and the third call.
    """
    return shared(tmp_path_factory, "main_job", make_main_job)


def make_main_job(project: Project) -> dict[str, Any]:
    """All results, and the notes of :func:`main_job`."""
    project.snakemake("stage_pretrain")
    project.warm = False
    running = subprocess.Popen(
        ["snakemake", "--cores", "2", project.place("models", "muver").files[0]],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        limit = time.monotonic() + 900
        while not list(project.folder.glob(CHECKPOINT)):
            assert running.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < limit
            time.sleep(0.02)
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    unlocked = project.run("muver", "unlock")
    del project.warm
    model = (project.folder / BUILT / "models/muver").resolve()
    model.mkdir(parents=True, exist_ok=True)
    (model / "tokenizer.json").write_text("half of it")
    return {
        "left": [str(path.relative_to(project.folder)) for path in files],
        "said": unlocked + project.snakemake(),
    }


@pytest.fixture(scope="session")
def by_dvc(main_job: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """All results, then three rows, made by Snakemake and told to DVC as `make results` does."""
    project = main_job.copy(tmp_path_factory.mktemp("by_dvc") / "copy")
    project.change(**FEW)
    project.commit("three rows")
    project.snakemake()
    project.run("muver", "stage", "asked")
    project.run("dvc", "commit", "--force")
    project.commit("run")
    return project
