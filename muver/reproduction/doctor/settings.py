"""Settings of `muver doctor compare`."""

from typing import Literal

import msgspec

from muver.io.typed import Amount, Count, Settings

TOLERANCE = 1e-5  # of the larger score: some last digits of a float32 sum


class Comparison(Settings):
    """How two runs are compared; all of it may be left out."""

    cutoffs: list[Count] = msgspec.field(default_factory=lambda: [1, 2, 4, 8, 16, 32, 50, 64])
    tolerance: Amount = TOLERANCE  # part of a score by which another may differ and count as equal
    match: Literal["title", "id"] | None = None  # how gold is counted, where no run says
