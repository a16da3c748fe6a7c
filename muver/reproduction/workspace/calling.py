"""Snakemake on this workflow from any folder, for whoever installed the package without a clone."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from muver.io.errors import InputError
from muver.reproduction.settings.file import home, read_params

BUILT_IN = "local", "dryrun", "touch"  # Snakemake's own executors


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
    snakefile = home() / "workflow/Snakefile"
    if show:
        print(snakefile)
        return
    # The rules call muver by its name.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, "-m", "snakemake", *call(results, dict(config), cores, profile)]
    os.execv(sys.executable, [*command, *(["--dry-run"] if dry_run else [])])


def call(results: Sequence[str], config: Mapping[str, Any], cores: str, profile: str) -> list[str]:
    """Snakemake's arguments.

    >>> call(["table1"], {"merge": {"top_k": 0.2}}, "2", "default")[-5:]
    ['--cores', '2', 'results/table1.csv', '--config', 'merge={top_k: 0.2}']
    """
    workflow = home() / "workflow"
    profiles = workflow / "profiles"
    folder = profiles / profile if (profiles / profile).is_dir() else Path(profile)
    if not folder.is_dir():
        known = ", ".join(sorted(path.name for path in profiles.iterdir()))
        raise InputError(f"--profile {profile}: neither a folder nor one of {known}.")
    _check_executor(folder / "config.yaml")
    targets = [one if "/" in one else f"results/{one}.csv" for one in results]
    written = [f"{key}={_as_yaml(value)}" for key, value in config.items()]
    return [
        "--snakefile", str(workflow / "Snakefile"), "--workflow-profile", str(folder),
        "--cores", cores, *targets, *(["--config", *written] if written else []),
    ]  # fmt: skip


def _check_executor(settings: Path) -> None:
    """Snakemake itself would only call the executor an invalid choice."""
    written = read_params(settings) if settings.is_file() else {}
    executor = written.get("executor", "local")
    plugin = f"snakemake_executor_plugin_{executor}".replace("-", "_")
    if executor not in BUILT_IN and not find_spec(plugin):
        raise InputError(
            f"{settings}: the executor {executor} is not installed. Install it with: pip install "
            f"snakemake-executor-plugin-{executor}"
        )


def _as_yaml(value: Any) -> str:
    """On one line, without YAML's mark of a document's end."""
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10**6)
    return text.removesuffix("\n").removesuffix("\n...")
