"""The lines of a file that parse, and what was met on the way: bad ones, one that is cut off."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from muver.corpus.kilt.lines import lines_between
from muver.corpus.kilt.pages import BadLine
from muver.corpus.kilt.settings import bad_allowed
from muver.io.errors import InputError

SHOWN = 10  # bad lines that are kept with their reasons
T = TypeVar("T")


class Form(NamedTuple):
    """What the lines of a file should be, for messages: such as "pages", and how they look."""

    name: str
    expected: str


class ParsedLines(Generic[T]):
    """The lines that begin in a range of bytes, each parsed, with the byte at which it begins.

    A last line without an end that does not parse was cut off: it is left out, and is not one of
    the bad ones.

    Parameters
    ----------
    parse
        Raises :class:`muver.corpus.kilt.pages.BadLine` for a line that is none.
    settings
        ``line_bytes``, ``bad_lines`` and ``bad_share`` (:mod:`muver.corpus.kilt.settings`).

    Attributes
    ----------
    lines
        How many were read.
    bad
        ``count``, and ``first``: the first ten with ``offset`` and ``reason``.
    unfinished
        ``offset`` and ``bytes`` of a line that was cut off; None if there is none.
    unended
        Whether the last line has no line feed.

    Raises
    ------
    InputError
        While it is gone through, above the limit of bad lines.
    """

    def __init__(
        self,
        path: Path,
        start: int,
        stop: int,
        parse: Callable[[bytes], T],
        form: Form,
        settings: Mapping[str, Any],
    ):
        self._path, self._range, self._parse = path, (start, stop), parse
        self._form, self._settings = form, settings
        self.lines = 0
        self.bad: dict[str, Any] = {"count": 0, "first": []}
        self.unfinished: dict[str, int] | None = None
        self.unended = False

    def __iter__(self) -> Iterator[tuple[int, T]]:
        longest = self._settings["line_bytes"]
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
        if self.bad["count"] > bad_allowed(self.lines, self._settings):
            raise too_many_bad(
                self._path, self.bad["count"], self.lines, self.bad["first"], self._form
            )


def too_many_bad(
    path: Path, bad: int, lines: int, first: Sequence[Mapping[str, Any]], form: Form
) -> InputError:
    """The error for more bad lines than the settings allow."""
    listed = "; ".join(f"at byte {one['offset']}: {one['reason']}" for one in first[:5])
    return InputError(
        f"{path}: {bad} of the first {lines} lines read are no {form.name}: {listed}. Expected "
        f"{form.expected}. Fetch the file anew, or allow more with "
        '--settings \'{"bad_lines": ..., "bad_share": ...}\'.'
    )
