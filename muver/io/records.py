"""JSON files that one stage writes for another, as types."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from muver.io.errors import InputError
from muver.io.files import read_json


class Record(msgspec.Struct, frozen=True):
    """Base of what a file holds, written by :func:`muver.io.files.write_json`.

    Dictionary keys that are numbers, such as cutoffs, become text in the file.
    """


R = TypeVar("R")


def read_record(path: Path, kind: type[R], what: str, again: str) -> R:
    """Read a JSON file as a :class:`Record`, or as a union of some.

    Errors call the file ``what`` and end with ``again``: how to make it again.
    """
    return as_record(read_json(path), path, kind, what, again)


def as_record(value: Any, path: Path, kind: type[R], what: str, again: str) -> R:
    """Convert parsed JSON as :func:`read_record` does."""
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: not {what} of this version ({error}). {again}") from None
