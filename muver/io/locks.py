"""File locks, so that only one process writes at a time."""

import fcntl
from pathlib import Path
from typing import IO

from muver.io.errors import InputError


def lock(file: IO, path: Path, wait: bool) -> None:
    """Lock an open file until it is closed.

    Raises
    ------
    BlockingIOError
        If another process holds the lock and ``wait`` is false.
    InputError
        If the file system has no locks, as some network file systems.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        raise InputError(
            f"{path}: this file system gives no locks ({error.strerror}), so that two processes "
            "could write at once. Mount it with locks, or keep this on another file system."
        ) from error
