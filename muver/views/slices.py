"""Where the views of each entity stand in a layer, and the sentences that merged ones cover."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from muver.views.layout import View
from muver.views.store import Layer


def entity_slices(entities: np.ndarray) -> list[slice]:
    """Where the views of each entity stand, given the (views,) entity of each view."""
    starts = np.flatnonzero(np.r_[True, entities[1:] != entities[:-1]]).tolist()
    return [slice(start, stop) for start, stop in pairwise([*starts, len(entities)])]


def in_sentences(layer: Layer, owners: Sequence[int], views: Sequence[View]) -> list[View]:
    """Views whose ``first..last`` count an entity's original views, counted in sentences."""
    starts = {int(layer.entities[own.start]): own.start for own in entity_slices(layer.entities)}
    return [
        View(
            view.ids,
            int(layer.first[starts[owner] + view.first]),
            int(layer.last[starts[owner] + view.last]),
        )
        for owner, view in zip(owners, views, strict=True)
    ]
