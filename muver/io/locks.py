"""Locks on files and folders. A lock has one owner: no copy of the process keeps it, nor a program
that the process starts, and it ends with the process.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from muver.io.errors import InputError

_OURS: set[int] = set()  # descriptors of the locks that this process holds or waits for


def _forget() -> None:
    while _OURS:
        os.close(_OURS.pop())


os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def locked(path: Path, wait: bool, folder: bool = False) -> Iterator[int]:
    """Hold the lock of a folder, or of a file: its descriptor.

    A file is made if it is not there; a ``folder`` that is gone is not. If another owner holds the
    lock, wait, or raise BlockingIOError.
    """
    flags = os.O_RDONLY if folder or path.is_dir() else os.O_RDWR | os.O_CREAT
    descriptor = os.open(path, flags, 0o666)  # Python's are closed in a program that is started
    _OURS.add(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError as error:
            raise InputError(
                f"{path}: this file system gives no locks ({error.strerror}), so that two "
                "processes could write at once. Mount it with locks, or keep this on another file "
                "system."
            ) from error
        yield descriptor
    finally:
        if descriptor in _OURS:  # not in a copy of this process
            _OURS.remove(descriptor)
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # a copy may not have closed it yet
            os.close(descriptor)
