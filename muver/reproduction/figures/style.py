"""The style of figures, and writing them: the same numbers give the same bytes.

This avoids pyplot, which needs a screen and keeps global state.
"""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from muver.io.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, distinct to colour-blind readers; markers differ as well.
BLUE, ORANGE, VERMILION = "#0072B2", "#E69F00", "#D55E00"
GREEN, PURPLE, SKY, BLACK = "#009E73", "#CC79A7", "#56B4E9", "#000000"
GREY = "#666666"
CURVES = (
    (BLUE, "o"), (ORANGE, "v"), (SKY, "<"), (PURPLE, ">"), (VERMILION, "s"), (GREEN, "D"),
    (BLACK, "^"),
)  # fmt: skip
BAND = {"alpha": 0.18, "linewidth": 0}  # an interval under a line
SETTINGS = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "svg.hashsalt": "muver",  # makes the ids in the SVG reproducible
    "svg.fonttype": "path",
}


def log_axis(axes: "Axes", numbers: Iterable[float | None]) -> None:
    """A logarithmic axis below, with plain numbers at 1, 2, 3, 5, 10 and so on."""
    axes.set_xscale("log")
    known = [number for number in numbers if number is not None]
    low, high = min(known) / 1.5, max(known) * 1.5
    steps = [step * 10**power for power in range(6) for step in (1, 2, 3, 5)]
    ticks = [step for step in steps if low <= step <= high]
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw and write figures in this style, whatever the user's matplotlib settings."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def save(figure: "Figure", folder: Path, name: str) -> None:
    """Write ``name``.svg and ``name``.png; call this within :func:`house_style`."""
    for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        with atomic_path(folder / f"{name}.{kind}") as temporary:
            figure.savefig(temporary, format=kind, metadata=metadata)
