"""The result of a comparison: counts of each kind and its first difference."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from muver.io.text import aligned

SHOWN = 60  # characters of a value
COLUMNS = ("kind", "compared", "agree", "excused", "greatest difference")


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

    kind: str
    compared: int = 0
    agreed: int = 0
    excused: int = 0
    greatest: float | None = None
    first: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether all differences are excused."""
        return self.agreed + self.excused == self.compared

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
        where: Callable[[tuple[int, ...]], str],
        expected: np.ndarray,
        found: np.ndarray,
        tolerance: float,
        excused: np.ndarray | bool = False,
    ) -> None:
        """Compare the numbers of two arrays of the same shape.

        Parameters
        ----------
        where
            Describes a position in the arrays.
        tolerance
            Greatest absolute difference; a NaN always differs.
        excused
            Positions at which a difference is excused.
        """
        expected, found = np.asarray(expected, np.float64), np.asarray(found, np.float64)
        differences = np.nan_to_num(np.abs(found - expected), nan=np.inf)
        near = differences <= tolerance
        forgiven = ~near & excused
        wrong = ~near & ~forgiven
        self.compared += expected.size
        self.agreed += int(near.sum())
        self.excused += int(forgiven.sum())
        counted = differences[~forgiven]
        if counted.size:
            self.greatest = max(self.greatest or 0.0, float(counted.max()))
        if self.first is None and wrong.any():
            place = tuple(int(axis[0]) for axis in np.nonzero(wrong))
            self.first = f"{where(place)}: expected {expected[place]:.7g}, found {found[place]:.7g}"


@dataclass
class Report:
    """The tallies of all recordings, in the order of the comparisons."""

    recordings: list[str] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def tally(self, kind: str) -> Tally:
        """The tally of a kind."""
        return self.tallies.setdefault(kind, Tally(kind))

    @property
    def agrees(self) -> bool:
        """Whether every kind agrees."""
        return all(tally.agrees for tally in self.tallies.values())

    def as_json(self) -> dict[str, Any]:
        """The report as the command writes it."""
        kinds = [{**asdict(tally), "agrees": tally.agrees} for tally in self.tallies.values()]
        for kind in kinds:
            if kind["greatest"] is not None and not isfinite(kind["greatest"]):
                kind["greatest"] = None  # JSON has no infinity; "first" shows it
        return {
            "recordings": self.recordings,
            "agrees": self.agrees,
            "kinds": kinds,
            "notes": self.notes,
        }

    def as_text(self) -> str:
        """A table by kind, the first difference of each kind, notes, and the verdict."""
        rows = [COLUMNS, *(_row(tally) for tally in self.tallies.values())]
        rule = ["-" * max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = aligned([rows[0], rule, *rows[1:]], right=range(1, len(COLUMNS)))
        different = [tally for tally in self.tallies.values() if not tally.agrees]
        if different:
            lines += ["", "The first difference of each kind:"]
            lines += [f"  {tally.kind}: {tally.first}" for tally in different]
        if self.notes:
            lines += ["", *(f"  {note}" for note in self.notes)]
        verdict = (
            f"{len(different)} of {len(self.tallies)} kinds differ."
            if different
            else f"All {len(self.tallies)} kinds agree."
        )
        return "\n".join([*lines, "", verdict]) + "\n"


def shortened(value: Any) -> str:
    """A value as text, cut if it is long."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]} ..."


def _difference(expected: Any, found: Any) -> str:
    """The expected and the found value; for two lists, the first items that differ."""
    if not isinstance(expected, list) or not isinstance(found, list):
        return f": expected {shortened(expected)}, found {shortened(found)}"
    pairs = enumerate(zip(expected, found, strict=False))
    place = next((n for n, (e, f) in pairs if e != f), min(len(expected), len(found)))
    inside = [shortened(s[place]) if place < len(s) else "nothing" for s in (expected, found)]
    return f", item {place}: expected {inside[0]}, found {inside[1]}"


def _row(tally: Tally) -> tuple[str, ...]:
    greatest = "" if tally.greatest is None else f"{tally.greatest:.1e}"
    counts = (str(tally.compared), str(tally.agreed), str(tally.excused or ""))
    return (tally.kind, *counts, greatest)
