"""Read and parse the lines that begin in a range of a file's bytes, with bounded memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeVar

from muver.io.errors import InputError
from muver.retriever.corpus.jsonl import BadLine
from muver.retriever.corpus.settings import ReadDump, ReadTexts

PIECE = 1 << 20
SHOWN = 10  # bad lines that are kept with their reasons
T = TypeVar("T")


class Line(NamedTuple):
    """A line of a file.

    Attributes
    ----------
    offset
        Byte of the file at which it begins.
    text
        Its bytes with the line feed; None if the line is too long.
    ended
        Whether it ends with a line feed, as a file's last line may not. True for a line too long.
    """

    offset: int
    text: bytes | None
    ended: bool


def lines_between(path: str | Path, start: int, stop: int, longest: int) -> Iterator[Line]:
    """Read every line that begins at a byte in ``start <= byte < stop``, to its end.

    Adjacent ranges together give every line of the file exactly once. A line longer than
    ``longest`` bytes comes without its text, and is skipped in pieces.
    """
    with open(path, "rb", buffering=PIECE) as file:
        position = start
        if start:  # this line may have begun before the range: go to its end
            file.seek(start - 1)
            position = _skip(file, start - 1, stop)
        while position < stop:
            text = file.readline(longest + 1)
            if not text:
                return
            offset, position = position, position + len(text)
            ended = text.endswith(b"\n")
            if ended or len(text) <= longest:
                yield Line(offset, text, ended)
            else:
                position = _skip(file, position, stop)
                yield Line(offset, None, True)


def _skip(file: IO[bytes], position: int, stop: int) -> int:
    """Read to the end of a line, but not beyond ``stop``; return the position reached."""
    while position < stop:
        piece = file.readline(PIECE)
        position += len(piece)
        if piece.endswith(b"\n"):
            break
        if not piece:
            return stop
    return position


class ParsedLines(Generic[T]):
    """Iterates over the lines that begin in a range of bytes, each parsed, with its first byte.

    Lines that do not parse are left out and counted as bad. If the last line has no line feed and
    does not parse, it was cut off: it is ``unfinished`` and not counted as bad. Iterating raises an
    InputError once there are more bad lines than allowed.

    Parameters
    ----------
    parse
        Raises :class:`muver.retriever.corpus.jsonl.BadLine` for a line of another form.
    expected
        What the lines should be, for the error.

    Attributes
    ----------
    lines
        How many were read.
    bad
        ``count``, and ``first``: the first ten with ``offset`` and ``reason``.
    unfinished
        ``offset`` and ``bytes`` of the line that was cut off, or None.
    unended
        Whether the last line has no line feed.
    """

    def __init__(
        self,
        path: Path,
        start: int,
        stop: int,
        parse: Callable[[bytes], T],
        expected: str,
        settings: ReadDump | ReadTexts,
    ):
        self._path, self._range, self._parse = path, (start, stop), parse
        self._expected, self._settings = expected, settings
        self.lines = 0
        self.bad: dict[str, Any] = {"count": 0, "first": []}
        self.unfinished: dict[str, int] | None = None
        self.unended = False

    def __iter__(self) -> Iterator[tuple[int, T]]:
        longest = self._settings.line_bytes
        for line in lines_between(self._path, *self._range, longest):
            self.lines += 1
            self.unended |= not line.ended
            try:
                if line.text is None:
                    raise BadLine(f"longer than {longest} bytes")
                parsed = self._parse(line.text)
            except BadLine as error:
                if line.ended:
                    self._refuse(line.offset, str(error))
                else:
                    self.unfinished = {"offset": line.offset, "bytes": len(line.text or b"")}
                continue
            yield line.offset, parsed

    def _refuse(self, offset: int, reason: str) -> None:
        self.bad["count"] += 1
        if len(self.bad["first"]) < SHOWN:
            self.bad["first"].append({"offset": offset, "reason": reason})
        count, first = self.bad["count"], self.bad["first"]
        check_bad(self._path, count, self.lines, first, self._expected, self._settings)


def check_bad(
    path: Path,
    bad: int,
    lines: int,
    first: Sequence[Mapping[str, Any]],
    expected: str,
    settings: ReadDump | ReadTexts,
) -> None:
    """Refuse a file whose bad lines exceed both ``bad_lines`` and ``bad_share`` of all lines."""
    if bad <= max(settings.bad_lines, int(settings.bad_share * lines)):
        return
    listed = "; ".join(f"at byte {one['offset']}: {one['reason']}" for one in first[:5])
    raise InputError(
        f"{path}: {bad} of the first {lines} lines are not {expected}: {listed}. Fetch the file "
        'anew, or allow more with --settings \'{"bad_lines": ..., "bad_share": ...}\'.'
    )
