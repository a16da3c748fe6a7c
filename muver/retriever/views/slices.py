"""The slice of a layer that holds an entity's views."""

from itertools import pairwise

import numpy as np


def entity_slices(entities: np.ndarray) -> list[slice]:
    """The slice of each entity's views, given the (views,) entity of each view."""
    starts = np.flatnonzero(np.r_[True, entities[1:] != entities[:-1]]).tolist()
    return [slice(start, stop) for start, stop in pairwise([*starts, len(entities)])]
