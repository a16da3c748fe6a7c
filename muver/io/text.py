"""Numbers and tables for people to read."""

from collections.abc import Sequence


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
