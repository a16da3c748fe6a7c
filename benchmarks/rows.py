"""The rows of the report: measurements of both sides, and the ratio to reach."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes
    ----------
    baseline, ours
        Rates in ``unit``; None without a comparison.
    ratio
        The speed-up, or another quotient that ``what`` names.
    reach
        The least ratio to reach, or the greatest if ``at_most``; None for information only.
    remark
        Further details.
    ratios
        Those of the pairs that were run in turn, if there are any: ``ratio`` is their median.
    """

    phase: str
    what: str
    unit: str = ""
    baseline: float | None = None
    ours: float | None = None
    ratio: float | None = None
    reach: float | None = None
    at_most: bool = False
    remark: str = ""
    ratios: Sequence[float] = ()

    @classmethod
    def compared(
        cls,
        phase: str,
        what: str,
        unit: str,
        theirs: np.ndarray,
        ours: np.ndarray,
        work: float | None = None,
        remark: str = "",
    ) -> "Row":
        """How many times as fast ours is, from the seconds of each repetition of both sides.

        Parameters
        ----------
        work
            What is done in these seconds, in what ``unit`` counts; None if ``unit`` is a time.
        """
        sides = [float(np.median(side)) for side in (theirs, ours)]
        if work is not None:
            sides = [work / seconds for seconds in sides]
        return cls(phase, what, unit, *sides, remark=remark, **spread(theirs / ours))

    @property
    def verdict(self) -> str:
        """Whether the ratio meets ``reach``, in a word."""
        if self.ratio is None or self.reach is None:
            return ""
        met = self.ratio <= self.reach if self.at_most else self.ratio >= self.reach
        return "met" if met else "missed"

    @property
    def bound(self) -> str:
        """``reach`` in words."""
        if self.reach is None:
            return ""
        return f"at {'most' if self.at_most else 'least'} {number(self.reach)}"

    def cells(self) -> list[str]:
        """The cells of the row in a table."""
        ratio = number(self.ratio)
        if self.ratios and (across := span(self.ratios)) != ratio:
            ratio += f" ({across})"
        return [
            self.phase,
            self.what,
            f"{number(self.baseline)} {self.unit}".strip() if self.baseline is not None else "",
            f"{number(self.ours)} {self.unit}".strip() if self.ours is not None else "",
            ratio,
            self.bound,
            self.verdict,
            self.remark,
        ]


def spread(ratios: np.ndarray) -> dict[str, Any]:
    """A row's ratio and ratios, from those of the pairs."""
    return {"ratio": float(np.median(ratios)), "ratios": ratios.tolist()}


def span(ratios: Sequence[float]) -> str:
    """The least and the greatest, once if they read the same."""
    return " to ".join(dict.fromkeys([number(min(ratios)), number(max(ratios))]))


@dataclass
class Findings:
    """The results of a phase: rows, and whether both sides agree."""

    rows: list[Row] = field(default_factory=list)
    agreements: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def agree(self, same: bool, what: str) -> None:
        """Note whether both sides agree."""
        (self.agreements if same else self.differences).append(what)

    def add(self, other: "Findings") -> None:
        """Append another phase's."""
        self.rows += other.rows
        self.agreements += other.agreements
        self.differences += other.differences


def number(value: float | None) -> str:
    """As the tables show it."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
