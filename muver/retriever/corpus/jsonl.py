"""Read JSON lines of a known form; every mistake is reported with its line."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from muver.io.errors import InputError
from muver.io.typed import declared, problem

LONGEST_REASON = 200  # characters
T = TypeVar("T")
Identity = str | int  # JSON of other programs has whole numbers
Wrong = Callable[[str], None]  # what is done with a mistake


class WithIds(msgspec.Struct):
    """A line whose fields of type `Identity` become text."""

    def __post_init__(self) -> None:
        for field in declared(type(self)):
            if field.type == Identity:
                setattr(self, field.name, str(getattr(self, field.name)))


class BadLine(ValueError):
    """A line that does not have the expected form; the message says why."""


def line_parser(kind: type[T]) -> Callable[[bytes], T]:
    """A function that reads one line of JSON as a struct, ignoring unknown keys.

    It raises :class:`BadLine` for an empty line, for text that is no JSON object, and for a key
    that is missing or has a value of another type.
    """
    decoder = msgspec.json.Decoder(kind)

    def parse(line: bytes) -> T:
        if not line.strip():
            raise BadLine("an empty line, but every line must be one JSON object")
        try:
            return decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadLine(_reason(kind, line)[:LONGEST_REASON].rstrip(".")) from None

    return parse


def refuse(mistake: str) -> None:
    raise InputError(mistake)


def read_json_lines(
    path: str | Path, kind: type[T], wrong: Wrong = refuse
) -> Iterator[tuple[int, T]]:
    """Yield each line's number (from 1) and its struct; a byte-order mark is skipped."""
    with open(path, "rb") as file:
        yield from structs(numbered(file), path, kind, wrong)


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1, without a byte-order mark."""
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix(BOM_UTF8) if number == 1 else line


def structs(
    lines: Iterable[tuple[int, bytes | str]],
    where: str | Path,
    kind: type[T],
    wrong: Wrong = refuse,
) -> Iterator[tuple[int, T]]:
    """Numbered lines parsed; one of another form is ``wrong``, by ``where`` and its number."""
    parse = line_parser(kind)
    for number, line in lines:
        try:
            parsed = parse(line)
        except BadLine as error:
            wrong(f"{where}, line {number}: {error}.")
        else:
            yield number, parsed


def _reason(kind: type, line: bytes) -> str:
    """Why a line is not JSON of a type; a line may be cut off behind what already does not fit."""
    try:
        value = msgspec.json.decode(line)
    except msgspec.ValidationError as error:  # a number that Python cannot hold
        return str(error)
    except UnicodeDecodeError as error:
        return f"not UTF-8 text ({error.reason})"
    except RecursionError:
        return "not valid JSON (nested too deep)"
    except msgspec.DecodeError as error:
        return f"not valid JSON ({str(error).removeprefix('JSON is malformed: ')})"
    mistake = problem(kind, value) if isinstance(value, dict) else ("", "not a JSON object")
    return mistake[1] if mistake else "a key comes twice, once with a value that does not fit"
