"""What a ratio is to reach now; each run keeps the reaches of its own day."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from benchmarks.rows import Row


class Reach(NamedTuple):
    """The least ratio, or the greatest, of rows whose names fit both patterns."""

    phase: str
    what: str
    bound: float
    at_most: bool = False


REACHES = (  # the first that fits
    Reach("encoding", "views, fp32", 2.0),
    Reach("encoding", "views, bf16", 5.0),
    Reach("merging", "one pass of 4 layers: share of the fp32 peak", 0.8),
    Reach("merging", "one pass of 4 layers, distant, bf16", 4.0),
    Reach("sweep", "*: the whole sweep over our most expensive setting alone", 1.3, at_most=True),
    Reach("ranking", "max, ??,000 views", 20.0),
    Reach("ranking", "softmax_sum, ??,000 views", 15.0),
    Reach("large world", "*", 8.0, at_most=True),  # GB
    Reach("training", "step of 32 mentions x 10 views, *", 2.5),
    Reach("training", "the step, bf16 over ours in fp32", 2.0),
    Reach("gradient caching", "time over *", 1.5, at_most=True),
    Reach("gradient caching", "memory over *", 1.2, at_most=True),
    Reach("end to end", "Table 1 and Table 3 after training, fp32", 7.0),
    Reach("end to end", "Table 1 and Table 3 after training, bf16", 12.0),
    Reach("kb import", "peak memory at *", 2.0, at_most=True),
    Reach("*", "peak memory of making ten times the entities", 2.0, at_most=True),
    Reach("*", "opening an index of *", 1.0, at_most=True),  # seconds
    Reach("*", "adding *, beside adding them to *", 1.5, at_most=True),
    Reach("projected", "ZESHEL, Table 1, 12 layers of 768, bf16", 1.0, at_most=True),  # hours
    Reach("*", "*: share of the * peak", 0.6),
)


def judged(row: Row) -> Row:
    """The row with the reach of now, whatever it had."""
    for reach in REACHES:
        if fnmatchcase(row.phase, reach.phase) and fnmatchcase(row.what, reach.what):
            return replace(row, reach=reach.bound, at_most=reach.at_most)
    return replace(row, reach=None, at_most=False)
