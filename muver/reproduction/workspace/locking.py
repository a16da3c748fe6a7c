"""Snakemake's lock on a working folder: removed when whoever held it is gone.

Snakemake locks the folder it works in with files under ``.snakemake/locks`` and removes them when
it ends. A run that was killed leaves them, and every later run refuses to start. The files do not
say who wrote them, so we look for a living process that could have.
"""

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import psutil

from muver.io.errors import InputError
from muver.io.progress import logger

# `muver` too: a job may outlive the snakemake that started it and still write its output.
HOLDERS = ("snakemake", "muver")
LOCKS = Path(".snakemake", "locks")
OPTIONS_WITH_VALUE = ("-W", "-X")


def program(command: Sequence[str]) -> str:
    """Return the name of what a command line runs; for Python, of the script or module.

    >>> program(["/usr/bin/python3", "-u", "/home/me/.venv/bin/snakemake", "--cores", "all"])
    'snakemake'
    >>> program(["python", "-m", "muver.cli", "train"])
    'muver'
    """
    if not command:
        return ""
    name = Path(command[0]).name
    if not name.lower().startswith("python"):
        return name
    for before, argument in pairwise(command):
        if before == "-m":
            return argument.split(".")[0]
        if not argument.startswith("-") and before not in OPTIONS_WITH_VALUE:
            return Path(argument).name
    return name


def holder(folder: Path) -> tuple[int, str] | None:
    """Return id and program of a process that works in ``folder``, other than us and our ancestors.

    Only processes of this machine are seen: on a folder shared by several machines, look at the
    others yourself before you call :func:`unlock`.
    """
    us = psutil.Process()
    ours = {us.pid, *(process.pid for process in us.parents())}
    for process in psutil.process_iter():
        if process.pid in ours:
            continue
        try:
            name = program(process.cmdline())
            if name in HOLDERS and Path(process.cwd()).samefile(folder):
                return process.pid, name
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's, who cannot write here
    return None


def unlock(folder: str | Path = ".") -> bool:
    """Remove a lock that a killed Snakemake left; return whether there was one.

    It stays where a process that may hold it is alive.

    Parameters
    ----------
    folder
        The one that holds .snakemake.
    """
    folder = Path(folder)
    if not _locked(folder):
        return False
    _check_holder(folder)
    shutil.rmtree(folder / LOCKS)
    logger.info("the last run was cut short and left its lock; no process holds it: removed")
    return True


def check_idle(folder: Path) -> None:
    """Refuse to go on while a run may be at work in ``folder``, of another machine as well.

    Raises
    ------
    InputError
        If a process works there, or Snakemake's lock is there.
    """
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
    if (found := holder(folder)) is not None:
        pid, name = found
        raise InputError(
            f"{folder.resolve()} is in use: {name} is at work there as process {pid}. Wait until "
            f"it ends, or end it with: kill {pid}. Then run the same command again."
        )
