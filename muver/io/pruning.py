"""Removing from a folder what a changed params.yaml no longer asks for."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from muver.io.errors import InputError
from muver.io.progress import logger


def prune(folder: Path, keep: Iterable[str]) -> None:
    """Remove everything below ``folder`` that is neither kept nor a folder above something kept.

    Parameters
    ----------
    folder
        Made if it does not exist: a stage may be asked for nothing at all.
    keep
        Paths below the folder: of files without any suffix, or of folders, kept whole.

    Raises
    ------
    InputError
        If the folder is a file, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: not a folder, and cannot be made one ({error}).") from None
    _prune(folder, {Path(path).parts for path in keep})


def _prune(folder: Path, keep: set[tuple[str, ...]]) -> None:
    for path in sorted(folder.iterdir()):
        below = {parts[1:] for parts in keep if _has_name(path, parts[0])}
        if () in below:
            continue
        if below and path.is_dir():
            _prune(path, below)
            continue
        logger.info("removing %s", path)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _has_name(path: Path, name: str) -> bool:
    """Whether a path has this name, of a file without its suffix; names may have dots in them."""
    return path.name == name or (path.is_file() and path.name.startswith(f"{name}."))
