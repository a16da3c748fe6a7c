"""Where the views of each entity stand in a layer."""

from itertools import pairwise

import numpy as np


def entity_slices(entities: np.ndarray) -> list[slice]:
    """Where the views of each entity stand, given the (views,) entity of each view."""
    starts = np.flatnonzero(np.r_[True, entities[1:] != entities[:-1]]).tolist()
    return [slice(start, stop) for start, stop in pairwise([*starts, len(entities)])]
