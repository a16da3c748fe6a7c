"""Snakemake called on this workflow from any folder, and the package found by its jobs."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.reproduction.settings.file import home, written


def run(
    results: Sequence[str] = (),
    *,
    config: Iterable[tuple[str, Any]] = (),
    cores: str = "all",
    dry_run: bool = False,
    profile: str = "default",
    show: bool = False,
) -> None:
    """Become Snakemake on the workflow's Snakefile; what is made lies in the present folder.

    Parameters
    ----------
    results
        Names such as ``table1``, or files; none for all that params.yaml lists.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    cores
        How many to use.
    dry_run
        Only say what would be done.
    profile
        One of the workflow's own (slurm), or a folder with one.
    show
        Print the Snakefile's place and do nothing else.
    """
    if show:
        print(home() / "workflow/Snakefile")
        return
    find_commands()
    command = [sys.executable, "-m", "snakemake", *call(results, dict(config), cores, profile)]
    os.execv(sys.executable, [*command, *(["--dry-run"] if dry_run else [])])


def call(results: Sequence[str], config: Mapping[str, Any], cores: str, profile: str) -> list[str]:
    """Snakemake's arguments.

    >>> call(["table1"], {"merge": {"top_k": 0.2}}, "2", "default")[-5:]
    ['--cores', '2', 'results/table1.csv', '--config', 'merge={"top_k": 0.2}']
    """
    workflow = home() / "workflow"
    profiles = workflow / "profiles"
    folder = profiles / profile if (profiles / profile).is_dir() else Path(profile)
    if not folder.is_dir():
        known = ", ".join(sorted(path.name for path in profiles.iterdir()))
        raise InputError(f"--profile {profile}: neither a folder nor one of {known}.")
    targets = [one if "/" in one else f"results/{one}.csv" for one in results]
    return [
        "--snakefile", str(workflow / "Snakefile"), "--workflow-profile", str(folder),
        "--cores", cores, *targets, *(["--config", *written(config)] if config else []),
    ]  # fmt: skip


def find_commands() -> None:
    """Let jobs of ``.venv/bin/snakemake`` find muver although nobody activated the environment."""
    if not shutil.which("muver"):
        commands = str(Path(sys.executable).parent)
        os.environ["PATH"] = os.pathsep.join([commands, os.environ.get("PATH", os.defpath)])


def run_code_of(folder: Path) -> None:
    """Let jobs run the package of a folder, if it is the present one, before any that is installed.

    To a machine without the clone Snakemake brings its sources, and an image has its own.
    """
    if folder == Path.cwd():
        others = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *([others] if others else [])])
