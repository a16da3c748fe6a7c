"""Records as types: what a stage writes as JSON for others, read back as what it is."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from muver.io.errors import InputError
from muver.io.files import read_json


class Record(msgspec.Struct, frozen=True):
    """Base of what a file holds, written by :func:`muver.io.files.write_json`.

    Names that are numbers, such as cutoffs, are texts in the file.
    """


R = TypeVar("R")


def read_record(path: Path, kind: type[R], what: str, again: str) -> R:
    """Read a file as what a stage wrote.

    Parameters
    ----------
    kind
        A :class:`Record`, or a union of some.
    what, again
        What such a file is called, and what makes it again, as messages say them.
    """
    return as_record(read_json(path), path, kind, what, again)


def as_record(value: Any, path: Path, kind: type[R], what: str, again: str) -> R:
    """What a file holds, as :func:`read_record` has it."""
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: not {what} of this version ({error}). {again}") from None
