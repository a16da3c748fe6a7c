"""What the account that runs the workflow may lack: a home for caches, and a name."""

import getpass
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def lacking() -> Iterator[str]:
    """What Snakemake, DVC and MLflow would fail at, a sentence each."""
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser() / ".cache")
    if not _can_be_written(place):
        yield (
            f"{place}: cannot be written, and Snakemake keeps a cache there. Name another folder: "
            "export XDG_CACHE_HOME=DIR, or HOME=DIR."
        )
    try:
        getpass.getuser()
    except (OSError, KeyError, ImportError):
        yield (
            f"the user with the number {os.getuid()} has no name, which Snakemake asks for. Give "
            "it one: export USER=me."
        )


def hindering() -> Iterator[str]:
    """What gets in the way of ``pip install`` alone."""
    if os.environ.get("PIP_USER", "").lower() in ("1", "true", "yes", "on"):
        yield "PIP_USER is set: pip installs nothing into an environment. `make setup` unsets it."


def nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())


def _can_be_written(folder: Path) -> bool:
    """Whether a file may be made in a folder, or in the nearest one above it that is there."""
    try:
        with tempfile.TemporaryFile(dir=nearest(folder)):
            return True
    except OSError:
        return False
