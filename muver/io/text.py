"""Numbers and tables for people to read."""

import contextlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from muver.io.errors import InputError

# Controls but line ends and tabs, marks that turn the direction of letters, halves of characters.
HIDDEN = re.compile(
    "[^\n\t -~\u00a0-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


MARKS = 30  # on a letter, as in Unicode's stream-safe texts (UAX 15)
# The two letters are marks of their own in the compatible forms.
MANY_MARKS = re.compile(rf"[\W\uff9e\uff9f]{{{MARKS + 1},}}")


def normal(text: str, form: str) -> str:
    """A text in a form of Unicode, with the first 30 of marks in a row: to put n of them into their
    order takes n² steps.
    """
    return unicodedata.normalize(form, MANY_MARKS.sub(_few_marks, text))


def _few_marks(run: re.Match[str]) -> str:
    kept, marks = [], 0
    for letter in run[0]:
        first, *_ = unicodedata.normalize("NFKD", letter)
        marks = marks + 1 if unicodedata.combining(first) else 0
        if marks <= MARKS:
            kept.append(letter)
    return "".join(kept)


def visible(text: str) -> str:
    r"""A text whose hidden characters are spelt as JSON may have them too, such as ``\u202e``."""
    return HIDDEN.sub(lambda character: f"\\u{ord(character[0]):04x}", text)


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
    from tabulate import tabulate  # one of the workflow's packages

    sides = ["right" if number in right else "left" for number in range(len(rows[0]))]
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=sides).splitlines()


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun; without a ``plural`` that of the noun ends with an s.

    >>> counted(1, "entity", "entities"), counted(2, "row")
    ('1 entity', '2 rows')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def percent(hits: int, mentions: int) -> str:
    """A share in percent with two decimals; rounds the exact value half to even.

    >>> percent(0, 7), percent(7, 7), percent(2, 3), percent(1, 800), percent(3, 800)
    ('0.00', '100.00', '66.67', '0.12', '0.38')
    """
    hundredths = round(Fraction(10_000 * hits, mentions))
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def bounds(interval: list[float], sign: bool = False) -> str:
    """An interval with one decimal, or two and signs for a difference.

    >>> bounds([0.0, 99.96]), bounds([-1.5, 0.25], sign=True)
    ('0.0 to 100.0', '-1.50 to +0.25')
    """
    return " to ".join(f"{bound:{'+z.2f' if sign else '.1f'}}" for bound in interval)


def probability(value: float) -> str:
    """A p-value with three decimals.

    >>> probability(1.0), probability(0.0421), probability(0.001), probability(0.00099)
    ('p = 1.000', 'p = 0.042', 'p = 0.001', 'p < 0.001')
    """
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def spelled(value: float) -> str:
    """A setting in as few digits as identify it.

    >>> spelled(1e-5), spelled(0.10), spelled(0.0), spelled(128)
    ('1e-05', '0.1', '0', '128')
    """
    return repr(value).removesuffix(".0")
