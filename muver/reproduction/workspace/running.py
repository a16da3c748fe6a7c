"""Snakemake called on this workflow from any folder, the package found by its jobs, and its lock.

Snakemake locks the folder it works in with files under ``.snakemake/locks`` and removes them when
it ends. A run that was killed leaves them, and every later run refuses to start. The files do not
say who wrote them, so we look for a living process that could have.
"""

import logging
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.reproduction.settings.file import home, written
from muver.reproduction.settings.resolve import settings_in


def run(
    results: Sequence[str] = (),
    *,
    config: Iterable[tuple[str, Any]] = (),
    cores: str = "all",
    dry_run: bool = False,
    profile: str = "default",
    show: bool = False,
) -> None:
    """Make tables and figures in the present folder, as snakemake does in a clone.

    It goes on as Snakemake with the workflow's Snakefile.

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
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError(name="snakemake")
    config = dict(config)
    settings_in(Path(), config)  # tells mistakes that Snakemake would tell by a traceback
    command = [sys.executable, "-m", "snakemake", *call(results, config, cores, profile)]
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
    targets = [name if "/" in name else f"results/{name}.csv" for name in results]
    return [
        "--snakefile", str(workflow / "Snakefile"), "--workflow-profile", str(folder),
        "--cores", cores, *targets, *(["--config", *written(config)] if config else []),
    ]  # fmt: skip


def find_commands() -> None:
    """Let jobs of ``.venv/bin/snakemake`` find muver although nobody activated the environment."""
    if not shutil.which("muver"):
        _put_first("PATH", Path(sys.executable).parent, os.defpath)


def run_code_of(folder: Path) -> None:
    """Let jobs run the package of a folder, if it is the present one, before any that is installed.

    To a machine without the clone Snakemake brings its sources, and an image has its own.
    """
    if folder == Path.cwd():
        _put_first("PYTHONPATH", folder)


def _put_first(variable: str, folder: Path, default: str = "") -> None:
    others = os.environ.get(variable, default)
    os.environ[variable] = os.pathsep.join(filter(None, [str(folder), others]))


LOCKS = Path(".snakemake", "locks")
# As Snakemake says it, the second one raised in a Snakefile or in an input function.
LOCKED = "Directory cannot be locked"
MISTAKE = re.compile(
    r"(?s)(InputFunctionException[^\n]*\nError:\n  )?InputError[^\n]*?:\s(?P<message>.*?)"
    r"\n(Wildcards:|  File \")"
)


def _at_work(command: Sequence[str]) -> str | None:
    """The program of a command that makes results: of `python -m muver.cli stage train`, muver."""
    words = [Path(word).name.removesuffix(".cli") for word in command if word != "-m"]
    match words[1:] if words and words[0].startswith("python") else words:
        case ["snakemake", *_]:
            return "snakemake"
        case ["muver", "stage" | "record" | "report", *_]:  # a job may outlive its snakemake
            return "muver"
    return None


def unlock(folder: str | Path = ".") -> bool:
    """Remove a lock that a killed run left in a working folder.

    It stays where a process that may hold it is alive.

    Parameters
    ----------
    folder
        The working folder, which holds .snakemake.

    Returns
    -------
    Whether there was one.
    """
    folder = Path(folder)
    if not _locked(folder):
        return False
    _check_holder(folder)
    shutil.rmtree(folder / LOCKS)
    logger.info("the last run was cut short and left its lock; no process holds it: removed")
    return True


def in_our_words(record: logging.LogRecord) -> bool:
    """A filter of Snakemake's log: of a user's mistake its message alone, without frames; and who
    holds a lock, in place of the advice to remove it.
    """
    if mistake := MISTAKE.match(str(record.msg)):
        record.msg = mistake["message"]
    if LOCKED in str(record.msg):
        try:
            check_idle(Path())
        except InputError as error:
            record.msg = str(error)
    return record.msg != "Conda environments: ignored"  # as every start without conda says


def check_writable(folder: Path) -> None:
    """Refuse a folder in which Snakemake can make no lock."""
    if not os.access(folder, os.W_OK):
        raise InputError(
            f"{folder.resolve()}: cannot be written, and Snakemake keeps its lock there. Make the "
            "folder writable, or copy it; `muver show` and `muver verify` only read it."
        )


def check_idle(folder: Path) -> None:
    """Refuse to go on while a run may be at work in ``folder``, of another machine as well."""
    _check_holder(folder)
    if _locked(folder):
        raise InputError(
            f"{folder.resolve() / LOCKS}: a run on another machine is at work there, or one that "
            "was cut short left its lock. `muver unlock` removes the lock if no run is; then run "
            "the same command again."
        )


def _locked(folder: Path) -> bool:
    return (folder / LOCKS).is_dir() and any((folder / LOCKS).iterdir())


def _check_holder(folder: Path) -> None:
    """Refuse to go on while a process works in ``folder``, other than us and our ancestors.

    Only processes of this machine are seen: on a folder shared by several machines, look at the
    others yourself before you call :func:`unlock`.
    """
    us = psutil.Process()
    ours = {us.pid, *(process.pid for process in us.parents())}
    for process in psutil.process_iter():
        try:
            name = None if process.pid in ours else _at_work(process.cmdline())
            holds = name and Path(process.cwd()).samefile(folder)
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's, who cannot write here
        if holds:
            raise InputError(
                f"{folder.resolve()} is in use: {name} is at work there as process {process.pid}. "
                f"Wait until it ends, or end it with: kill {process.pid}. Then run the same "
                "command again."
            )
