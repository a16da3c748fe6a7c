"""The rows of the report: measurements of both sides, and the ratio to reach."""

from dataclasses import dataclass, field


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

    @property
    def verdict(self) -> str:
        """Whether the ratio meets ``reach``, in a word."""
        if self.ratio is None or self.reach is None:
            return ""
        met = self.ratio <= self.reach if self.at_most else self.ratio >= self.reach
        return "met" if met else "missed"

    def cells(self) -> list[str]:
        """The cells of the row in a table."""
        bound = "at most " if self.at_most else "at least "
        return [
            self.phase,
            self.what,
            f"{_number(self.baseline)} {self.unit}".strip() if self.baseline is not None else "",
            f"{_number(self.ours)} {self.unit}".strip() if self.ours is not None else "",
            _number(self.ratio),
            f"{bound}{_number(self.reach)}" if self.reach is not None else "",
            self.verdict,
            self.remark,
        ]


HEAD = ("Phase", "What", "Baseline", "Ours", "Ratio", "Reach", "", "Remark")


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


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
