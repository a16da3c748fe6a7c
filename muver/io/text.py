"""Numbers and tables for people to read."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from muver.io.errors import InputError

# Controls but line ends and tabs, marks that turn the direction of letters, halves of characters.
HIDDEN = re.compile(
    "[^\n\t -~\u00a0-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""A text whose hidden characters are spelt as JSON may have them too, such as ``\u202e``."""
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Shown:
    """A stream that gets texts as :func:`visible` has them."""

    def __init__(self, stream: Any):
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Output(Shown):
    """Standard output, or None where it is closed; what it does not take is told."""

    def write(self, text: str) -> int:
        with self._failures():
            return super().write(text)

    def flush(self) -> None:
        if self._stream is not None:
            with self._failures():
                self._stream.flush()

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        if self._stream is None:
            raise InputError("standard output: is closed. Send it to a file or a terminal.")
        try:
            yield
        except UnicodeEncodeError as error:
            raise InputError(
                f"standard output: its encoding, {error.encoding}, has no "
                f"{ascii(error.object[error.start])}. Set PYTHONIOENCODING=utf-8."
            ) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(
                f"standard output: cannot be written ({error.strerror}). Free some space, or send "
                "it elsewhere."
            ) from None


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as lines with columns of equal width; those numbered in ``right`` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def size(count: float) -> str:
    """Bytes with their unit: ``113.0 MB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun; without a word for ``several`` these end with an s.

    >>> counted(1, "entity", "entities"), counted(2, "row")
    ('1 entity', '2 rows')
    """
    return f"{number} {one if number == 1 else several or f'{one}s'}"
