"""The options, data and measurements that the phases of a run share."""

from functools import cache, cached_property

from benchmarks.data import Case, load
from benchmarks.options import Options
from benchmarks.peak import matrix_peak, shape_rate
from benchmarks.rows import Row
from benchmarks.sweep import Sweep, measure

SECONDS = 0.4  # for each shape of a product


class Context:
    """One per run; measures each property once."""

    def __init__(self, options: Options):
        self.options = options
        self.peak = cache(self._peak)

    @cached_property
    def case(self) -> Case:
        """Model and data."""
        return load(self.options)

    @cached_property
    def sweep(self) -> Sweep:
        """All settings of merging on both sides."""
        return measure(self.case, self.options)

    def _peak(self, precision: str) -> tuple[float, str]:
        """GFLOP/s, and the shape that gave it."""
        return matrix_peak(self.options.device, precision, 0.1 if self.options.quick else SECONDS)

    def share_of_peak(
        self, phase: str, what: str, precision: str, work: float, seconds: float
    ) -> Row:
        """A row for ``work`` GFLOP of real tokens done in these seconds, which have just passed:
        the peak's best shape is timed again now.
        """
        shape, device = self.peak(precision)[1], self.options.device
        peak, rate = shape_rate(shape, device, precision, SECONDS), work / seconds
        return Row(
            phase,
            f"{what}: share of the {precision} peak",
            "GFLOP/s",
            None,
            rate,
            rate / peak,
            remark=f"of {peak:,.0f}; real tokens only",
        )
