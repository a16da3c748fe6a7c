"""The exceptions whose messages are for users, and parts of these messages."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
SHOWN = 80  # characters of a value or a name in a message


class InputError(Exception):
    """A mistake in what the user gave: a file, a setting, an argument, the state of the machine.

    The message names the file, line or key, says what was expected and what to do. Commands print
    it without a traceback and exit with status 2.
    """


class Mistake(InputError):
    """A mistake in a request; clients may see the message, which says nothing of the server."""


def quoted(value: object) -> str:
    """A value that a user gave, for a message: of a long one the beginning.

    >>> quoted("smith"), quoted(3), len(quoted("smith" * 1000))
    ("'smith'", '3', 80)
    """
    whole = repr(value)
    return whole if len(whole) <= SHOWN else f"{whole[: SHOWN - 4]}...{whole[-1]}"


def listed(names: Iterable[str], most: int = 20) -> str:
    """The first of some names, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    held = [str(name)[:SHOWN] for name in names]
    more = f" and {len(held) - most} more" if held[most:] else ""
    return f"{', '.join(held[:most])}{more}"


def repeated(values: Iterable[T]) -> T | None:
    """The first value that came before, None if each comes once.

    >>> repeated(["a", "b", "a"]), repeated(["a", "b"])
    ('a', None)
    """
    held = list(values)
    return next((value for n, value in enumerate(held) if value in held[:n]), None)


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` for the nearest known name, or nothing if none is near."""
    import difflib

    near = difflib.get_close_matches(wrong, sorted(known), n=1)
    return f" Did you mean {quoted(near[0])}?" if near else ""


def choices(wrong: str, known: Iterable[str]) -> str:
    """What ends the message on an unknown name: the nearest known one if any is near, and all.

    >>> choices("bukle", ["apple", "buckle"])
    " Did you mean 'buckle'? There are: apple, buckle."
    """
    names = list(known)
    return f"{did_you_mean(wrong, names)} There are: {listed(names) or 'none'}."


@contextlib.contextmanager
def read_errors(
    path: str | Path, remedy: str = "", fault: str = "cannot be read"
) -> Iterator[None]:
    """Turn the errors of reading a file that is missing, or not what it should be, into a message
    that ends with ``remedy``: what to do.
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. {remedy}".rstrip()) from None
    except (OSError, ValueError, EOFError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {fault} ({why}). {remedy}".rstrip()) from None


@contextlib.contextmanager
def disk_errors(path: str | Path, afterwards: str) -> Iterator[None]:
    """Turn a failing disk (no space left, a read-only folder) into a message that says what to do.

    The message ends with ``afterwards``, a sentence on the state that is left behind.
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
