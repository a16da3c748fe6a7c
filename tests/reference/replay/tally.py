"""Counts what agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass
class Tally:
    """How many items of one kind were compared, and how many agreed.

    Attributes
    ----------
    excused
        Items that differ because of a tie in the recording.
    greatest
        Greatest absolute difference of numbers.
    first
        The first difference: where it is, what was expected and what was found.
    """

    compared: int = 0
    agreed: int = 0
    excused: int = 0
    greatest: float | None = None
    first: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether something was compared, and all differences are excused."""
        return 0 < self.compared == self.agreed + self.excused

    def __str__(self) -> str:
        text = f"{self.agreed} of {self.compared}"
        if self.excused:
            text += f", {self.excused} excused"
        return text if self.greatest is None else f"{text}, at most {self.greatest:.1e} apart"

    def equal(self, where: str, expected: Any, found: Any, excused: bool = False) -> None:
        """Compare one item that must be equal."""
        self.compared += 1
        if expected == found:
            self.agreed += 1
        elif excused:
            self.excused += 1
        elif self.first is None:
            self.first = f"{where}{_difference(expected, found)}"

    def close(
        self,
        rows: Sequence[str],
        expected: npt.ArrayLike,
        found: npt.ArrayLike,
        tolerance: float,
        excused: np.ndarray | bool = False,
    ) -> None:
        """Compare the numbers of two arrays of the same shape.

        Parameters
        ----------
        rows
            What each row is, for the first difference.
        tolerance
            Greatest absolute difference; a NaN always differs.
        excused
            Positions at which a difference is excused.
        """
        expected, found = np.asarray(expected, np.float64), np.asarray(found, np.float64)
        assert expected.shape == found.shape
        differences = np.nan_to_num(np.abs(found - expected), nan=np.inf)
        near = differences <= tolerance
        forgiven = ~near & excused
        wrong = ~near & ~forgiven
        self.compared += expected.size
        self.agreed += int(near.sum())
        self.excused += int(forgiven.sum())
        self.greatest = max(self.greatest or 0.0, differences[~forgiven].max(initial=0.0))
        if self.first is None and wrong.any():
            row, *items = place = tuple(int(axis[0]) for axis in np.nonzero(wrong))
            where = ", item ".join([rows[row], *map(str, items)])
            self.first = f"{where}: expected {expected[place]:.7g}, found {found[place]:.7g}"


Report = dict[str, Tally]  # by kind, in the order of the comparisons


def _difference(expected: Any, found: Any) -> str:
    """The expected and the found value; for two lists, the first items that differ."""
    if not isinstance(expected, list) or not isinstance(found, list):
        return f": expected {expected!r}, found {found!r}"
    pairs = enumerate(zip(expected, found, strict=False))
    place = next((n for n, (e, f) in pairs if e != f), min(len(expected), len(found)))
    inside = [repr(some[place]) if place < len(some) else "nothing" for some in (expected, found)]
    return f", item {place}: expected {inside[0]}, found {inside[1]}"
