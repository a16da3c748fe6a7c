"""The lines that begin in a range of bytes of a file, with bounded memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

PIECE = 1 << 20


class Line(NamedTuple):
    """A line of a file.

    Attributes
    ----------
    offset
        Byte of the file at which it begins.
    text
        Its bytes with the line feed; None if there are more than were to be read.
    ended
        Whether it ends with a line feed: the file's last line may not. Lines without text: True.
    """

    offset: int
    text: bytes | None
    ended: bool


def lines_between(path: str | Path, start: int, stop: int, longest: int) -> Iterator[Line]:
    """Every line that begins at a byte in ``start <= byte < stop``, to its end.

    Ranges that follow each other give every line of the file once. A line longer than ``longest``
    bytes comes without its text and is passed over in pieces; in the part where it began and those
    that it covers, no byte is read twice.
    """
    with open(path, "rb", buffering=PIECE) as file:
        position = start
        if start:  # the line at hand may have begun before: go to its end
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
    """Read to the end of a line and return where that is.

    From ``stop`` on no line of the range begins, so what is beyond is left to others.
    """
    while position < stop:
        piece = file.readline(PIECE)
        position += len(piece)
        if piece.endswith(b"\n"):
            break
        if not piece:
            return stop
    return position
