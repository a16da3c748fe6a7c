"""JSON lines with known fields, each mistake reported with its file and line number."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError

TYPE_NAMES = {str: "a string", int: "a whole number"}


def read_json_lines(
    path: str | Path, fields: Mapping[str, type], optional: Mapping[str, type] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read one JSON object a line, with exactly typed fields; further fields are passed over.

    Parameters
    ----------
    path
        UTF-8 text; lines end with a line feed.
    fields
        Name and type (``str`` or ``int``) of what every object must have.
    optional
        The same of what an object may have.

    Yields
    ------
    Line number (from 1) and the object.

    Raises
    ------
    InputError
        Naming file and line: an empty line, not UTF-8, not JSON, not an object, a key that is
        missing or of another type.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            where = f"{path}, line {number}"
            yield number, _checked(_parse(line, where), fields, optional or {}, where)


def _parse(line: bytes, where: str) -> Any:
    if not line.strip():
        raise InputError(f"{where}: an empty line; every line must be one JSON object.")
    try:
        return json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 text ({error.reason}).") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}: not valid JSON ({error.msg}, column {error.colno}). "
            "Every line must be one complete JSON object."
        ) from None


def _checked(
    value: Any, fields: Mapping[str, type], optional: Mapping[str, type], where: str
) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected a JSON object with the keys {', '.join(fields)}.")
    for key in fields:
        if key not in value:
            raise InputError(
                f"{where}: the key {key!r} is missing.{did_you_mean(key, value)} "
                f"Needed: {', '.join(fields)}."
            )
    for key, kind in {**fields, **optional}.items():
        if key not in value:
            continue
        if type(value[key]) is not kind:
            raise InputError(
                f"{where}: {key!r} must be {TYPE_NAMES[kind]}, not {json.dumps(value[key])}."
            )
        if kind is str and not _is_text(value[key]):
            raise InputError(f"{where}: {key!r} holds half a surrogate pair, which is not text.")
    return value


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
