"""Which neighbouring views to merge: the heuristic search of section 2.3, one layer at a time.

An entity with n views has n *slots* throughout. Slot i starts as view i alone; when it is chosen
it grows to the end of slot i + 1 and keeps its place, so the number of slots, and with it the
number of pairs chosen in every layer, never changes. Views made in earlier layers stay among the
entity's views. This is how the released code searches; the paper's text leaves it open.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

Pairs = Literal["distant", "close"]


def pairs_to_merge(vectors: np.ndarray, top_k: float, pairs: Pairs = "distant") -> list[int]:
    """Choose the left members i of the neighbouring pairs (i, i + 1) to merge.

    Parameters
    ----------
    vectors : (n, dimension) float array
        The slots' vectors at the start of the layer.
    top_k
        int(n * top_k) pairs are chosen.
    pairs
        "distant": the greatest squared L2 distance first (Table 3, "Distant Pairs"); "close": the
        smallest first. Equal distances: the earlier pair first.

    Returns
    -------
    Slot numbers, increasing.
    """
    count = int(len(vectors) * top_k)
    if count == 0 or len(vectors) < 2:
        return []
    distances = np.square(vectors[1:] - vectors[:-1]).sum(axis=1)
    order = np.argsort(-distances if pairs == "distant" else distances, kind="stable")
    return sorted(order[:count].tolist())


def grow(ends: Sequence[int], chosen: Sequence[int]) -> dict[int, int]:
    """New ends of the chosen slots, from the ends before this layer.

    Parameters
    ----------
    ends
        Last original view of each slot; slot i always starts at view i.
    chosen
        Slots to merge with their right neighbour.

    Returns
    -------
    {slot: new end}, only where the neighbour reaches beyond the slot's own end: a choice that
    would produce nothing is wasted, not replaced.
    """
    return {slot: ends[slot + 1] for slot in chosen if ends[slot + 1] > ends[slot]}
