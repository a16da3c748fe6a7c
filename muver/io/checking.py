"""Turning mistakes into messages: near names, unknown settings, a disk that refuses."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` for the nearest known name, or nothing if none is near."""
    import difflib

    near = difflib.get_close_matches(wrong, sorted(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def with_defaults(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a stage: ``defaults`` overlaid with ``given``.

    Raises
    ------
    InputError
        For a key that the stage does not know.
    """
    for key in given:
        if key not in defaults:
            raise InputError(
                f"--settings: unknown key {key!r}.{did_you_mean(key, defaults)} "
                f"Allowed: {', '.join(defaults)}."
            )
    return {**defaults, **given}


def check_choices(settings: Mapping[str, Any], choices: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a setting whose value is none of those allowed.

    Parameters
    ----------
    choices
        The allowed values by key; keys that ``settings`` do not have are passed over.

    Raises
    ------
    InputError
        Naming the key, its value and what is allowed.
    """
    for key, allowed in choices.items():
        if key in settings and settings[key] not in allowed:
            near = did_you_mean(str(settings[key]), [one for one in allowed if one is not None])
            raise InputError(
                f"--settings: {key} is {settings[key]!r}, expected one of "
                f"{', '.join(map(repr, allowed))}.{near}"
            )


def check_whole(settings: Mapping[str, Any], least: Mapping[str, int]) -> None:
    """Refuse a setting that is no whole number, or too small a one.

    Parameters
    ----------
    least
        The smallest allowed value by key; keys that ``settings`` do not have are passed over.

    Raises
    ------
    InputError
        Naming the key, its value and what is allowed.
    """
    for key, minimum in least.items():
        if key not in settings:
            continue
        value = settings[key]
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise InputError(
                f"--settings: {key} is {value!r}, expected a whole number, at least {minimum}."
            )


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
