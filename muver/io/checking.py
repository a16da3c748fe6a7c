"""Turning mistakes into messages: near names, a disk that refuses."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from muver.io.errors import InputError


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` for the nearest known name, or nothing if none is near."""
    import difflib

    near = difflib.get_close_matches(wrong, sorted(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


@contextlib.contextmanager
def disk_errors(path: str | Path, afterwards: str) -> Iterator[None]:
    """Say what a failing disk means for the user: no space left, a read-only folder.

    Parameters
    ----------
    path
        What was being written.
    afterwards
        The state it leaves and what to do, as a sentence.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise InputError(
            f"{path}: cannot be written ({error.strerror}). Free some space or make the folder "
            f"writable, then run the same command again. {afterwards}"
        ) from error
