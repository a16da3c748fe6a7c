"""The value of a setting that finds most on validation."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def choose(
    name: str, values: Sequence[float], ranks: Iterable[np.ndarray], cutoff: int
) -> dict[str, Any]:
    """The value with the most hits at ``cutoff``; if equal, the one with more hits at 1.

    If that does not decide either, the first of the values is taken. ``ranks``, (mentions,) for
    each value, are of each mention's gold candidate, from 1; 0 if it is not found. Returns the
    value under ``name``; ``cutoff``, ``mentions`` and, under ``tried``, each value with its hits at
    the cutoff and at 1.

    >>> ranks = np.array([2, 0]), np.array([1, 0]), np.array([1, 3])
    >>> choose("weight", [0.0, 0.5, 1.0], ranks, cutoff=2)["weight"]
    0.5
    """
    tried = []
    for value, found in zip(values, ranks, strict=True):
        hits, first = (int(((found >= 1) & (found <= k)).sum()) for k in (cutoff, 1))
        tried.append({name: value, "hits": hits, "hits_at_1": first})
    best = max(tried, key=lambda trial: (trial["hits"], trial["hits_at_1"]))  # the first of equals
    return {name: best[name], "cutoff": cutoff, "mentions": len(found), "tried": tried}
