"""One writer at a time: a lock that ends with its process."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from muver.io.checking import disk_errors
from muver.io.errors import InputError
from muver.io.locks import lock

FILE = "lock"


class BeingChanged(InputError):
    """Somebody else is changing the index."""


@contextlib.contextmanager
def writing(folder: str | Path) -> Iterator[None]:
    """Hold an index's lock; the file says who does."""
    path = Path(folder, FILE)
    with disk_errors(path, "The index is as it was."):
        file = path.open("a+", encoding="utf-8")
    with file:
        try:
            lock(file, path, wait=False)
        except BlockingIOError:
            file.seek(0)
            raise BeingChanged(
                f"{folder}: is being changed by {file.read().strip() or 'another process'}. Wait "
                "until it has ended, then run the same command again."
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} ({' '.join([Path(sys.argv[0]).name, *sys.argv[1:3]])})")
        file.flush()
        yield
