"""Lines of large files, each parsed for itself; those of another form are left out and counted."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from muver.io.errors import InputError
from muver.kb.importing.items import LeftOut
from muver.kb.importing.opening import lines_of, opened_dump
from muver.kb.importing.parallel import in_order
from muver.kb.importing.settings import Import
from muver.kb.importing.tidy import Notes
from muver.retriever.corpus.jsonl import BadLine
from muver.retriever.corpus.settings import BadLines

BATCH = 1 << 20  # bytes, at least
BAD = "lines of another form"
WHOLE = Import()  # files that end too early are refused
T = TypeVar("T")


class Place(NamedTuple):
    """Number of a line, from 1, its first byte, and whether it has an end."""

    line: int
    byte: int
    ended: bool

    def __str__(self) -> str:
        return f"line {self.line}"


def parsed_lines(
    path: Path, parse: Callable[[bytes], T], workers: int = 1, settings: Import = WHOLE
) -> Iterator[tuple[Place, T | LeftOut]]:
    """Each line's place, and what ``parse`` makes of it, which may raise BadLine."""
    for batch in in_order(partial(_parsed, parse), _batches(path, settings), workers):
        yield from batch


def _batches(path: Path, settings: Import) -> Iterator[list[tuple[Place, bytes]]]:
    batch: list[tuple[Place, bytes]] = []
    first = byte = 0
    with opened_dump(path, settings) as stream:
        for number, line in enumerate(lines_of(stream, path), start=1):
            batch.append((Place(number, byte, line.endswith(b"\n")), line))
            byte += len(line)
            if byte - first >= BATCH:
                yield batch
                batch, first = [], byte
    yield batch


def _parsed(
    parse: Callable[[bytes], T], batch: list[tuple[Place, bytes]]
) -> list[tuple[Place, T | LeftOut]]:
    found: list[tuple[Place, T | LeftOut]] = []
    for place, line in batch:
        try:
            found.append((place, parse(line)))
        except BadLine as error:
            found.append((place, LeftOut(BAD, f"{place}: {error}")))
    return found


def good_lines(
    path: Path, lines: Iterable[tuple[Place, T | LeftOut]], settings: BadLines, bad: Notes
) -> Iterator[tuple[Place, T]]:
    """The lines that parsed; the others are noted, and refused above what the settings allow.

    Those are ``bad_lines``, or ``bad_share`` of the lines read.
    """
    for number, (place, one) in enumerate(lines, start=1):
        if not isinstance(one, LeftOut):
            yield place, one
            continue
        bad.add(one.why, one.place)
        count = bad.counts.total()
        if count > max(settings.bad_lines, int(settings.bad_share * number)):
            raise InputError(
                f"{path}: {count} of the first {number} lines are of another form: "
                f"{'; '.join(bad.examples[BAD][:5])}. Fetch the file anew, or allow more with "
                '--settings \'{"bad_lines": ..., "bad_share": ...}\'.'
            )


def whole_id(value: str | int, key: str) -> str:
    """A page's id, given as text or number, as text; raises BadLine unless it fits an int64."""
    if not re.fullmatch("[0-9]{1,18}", text := str(value)):
        raise BadLine(f"{key} {value!r} is not a number of at most 18 digits")
    return text
