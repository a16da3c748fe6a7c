"""A copy of the project with a very small miniwikia, and the tools run in it as a user would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PARAMS = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
TINY = {
    "generate": {
        "worlds": {
            "train": ["ash", "birch", "cedar", "doum"],
            "val": ["elm"],
            "test": ["fir", "gum"],
        },
        "entities_per_world": 24,
        "mentions": {"train": 40, "val": 12, "test": 20},
    },
    "scratch": {"vocabulary": 300, "hidden": 32, "intermediate": 64},
    "evaluate": {"cutoffs": [1, 2, 4, 8, 16]},
    "retrieve": {"k": 16},
    "merge": {"layers": 2},
    "systems": {
        name: {"merge_layers": 2}
        for name, system in PARAMS["systems"].items()
        if system.get("merge_layers", 0) > 2
    },
    "sweep": {"searches": ["distant", "close_full"], "cutoff": 16},
    "fusion": {"cutoff": 16},
    "figures": {"figure2": {"cutoff": 16}},
    "grid": {"batch_size": [8]},
    "tables": {
        "beyond": [
            "muver",
            "muver_global_merged",
            "muver_bm25_rrf",
            "muver_bm25",
            "muver_spans_max",
        ]
    },
}
# Three rows and the smallest set of results that has them.
FEW = {
    "results": ["table1", "table6"],
    "tables": {"table1": ["bm25", "muver_plain", "muver"], "table6": ["muver"]},
}
TRAINING = {"epochs": 1, "batch_size": 8, "validate_every": 2, "checkpoint_every": 1}


class Project:
    """A project folder of its own, with the commands on the path."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder),
            "HF_HUB_OFFLINE": "1",
            "GIT_AUTHOR_NAME": "test",
            "GIT_AUTHOR_EMAIL": "test@example.org",
            "GIT_COMMITTER_NAME": "test",
            "GIT_COMMITTER_EMAIL": "test@example.org",
        }
        self.environment.pop("MLFLOW_TRACKING_URI", None)

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
        said = self.snakemake("-n", *arguments)
        table = said.rpartition("Job stats:")[2]
        return {
            rule: int(count)
            for rule, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)
            if rule not in ("all", "total")
        }

    def change(self, name: str = "miniwikia", **sections: object) -> None:
        """Change params.yaml: a preset's sections, the default one's if none is named."""
        path = self.folder / "params.yaml"
        params = yaml.safe_load(path.read_text(encoding="utf-8"))
        preset = params["presets"][name]
        for key, value in sections.items():
            preset[key] = {**preset.get(key, {}), **value} if isinstance(value, dict) else value
        path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def commit(self, message: str) -> None:
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", message)


def copy_of_the_project(folder: Path) -> Project:
    """Copy what git would commit, so that an unclean tree is tested as it is."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, text=True, capture_output=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for name in listed:
        if name.startswith(("tests/", "docs/")) or not (ROOT / name).is_file():
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    project = Project(folder)
    project.run("git", "init", "-q", "-b", "main")
    return project


@pytest.fixture(scope="session")
def main_job(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Every table and figure of the default preset, made once by Snakemake."""
    project = copy_of_the_project(tmp_path_factory.mktemp("main_job"))
    project.change(**TINY, training=TRAINING)
    project.commit("tiny")
    project.snakemake()
    return project


@pytest.fixture(scope="session")
def by_dvc(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Three rows, made once by DVC."""
    project = copy_of_the_project(tmp_path_factory.mktemp("by_dvc"))
    project.change(**{**TINY, **FEW}, training=TRAINING)
    project.commit("tiny")
    project.run("dvc", "repro")
    project.commit("run")
    return project
