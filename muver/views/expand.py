"""All layers of merging for one world: choose, lay out, encode, and on to the next layer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from muver.views.layout import Ids, Markers, View, merged_view
from muver.views.merging import grow, pairs_to_merge

EncodeViews = Callable[[Sequence[Ids]], np.ndarray]


@dataclass
class _Slots:
    """The slots of one entity: their vectors, their ends, and the original views' ids."""

    entity: int
    views: list[Ids]
    vectors: np.ndarray
    ends: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ends = list(range(len(self.views)))


@dataclass(frozen=True)
class NewViews:
    """What a layer adds to a world: views and their entities, in the entities' order."""

    entities: list[int]
    views: list[View]
    vectors: np.ndarray


def expand_world(
    entities: np.ndarray,
    ids: Sequence[Ids],
    vectors: np.ndarray,
    encode: EncodeViews,
    markers: Markers,
    settings: dict[str, Any],
) -> list[NewViews]:
    """Run the heuristic search over all entities of a world (section 2.3).

    All merged views of a layer are encoded together, so that they can be batched by length.

    Parameters
    ----------
    entities : (views,)
        Entity of each original view, the views of one entity next to each other.
    ids, vectors
        Token ids and (views, d) vectors of the original views.
    encode
        Token ids to (n, d) vectors.
    settings
        ``layers``, ``top_k``, ``pairs``, ``max_tokens``.

    Returns
    -------
    For each layer its new views; ``first..last`` count original views.
    """
    starts = np.flatnonzero(np.r_[True, entities[1:] != entities[:-1]])
    stops = np.r_[starts[1:], len(entities)]
    slots = [
        _Slots(int(entities[a]), list(ids[a:b]), np.array(vectors[a:b]))
        for a, b in zip(starts, stops, strict=True)
    ]
    layers = []
    for _ in range(settings["layers"]):
        grown: list[tuple[_Slots, int]] = []
        for slot in slots:
            chosen = pairs_to_merge(slot.vectors, settings["top_k"], settings["pairs"])
            for place, end in grow(slot.ends, chosen).items():
                grown.append((slot, place))
                slot.ends[place] = end
        views = [
            View(
                merged_view(
                    slot.views[place : slot.ends[place] + 1], markers, settings["max_tokens"]
                ),
                place,
                slot.ends[place],
            )
            for slot, place in grown
        ]
        new = encode([view.ids for view in views])
        for (slot, place), vector in zip(grown, new, strict=True):
            slot.vectors[place] = vector
        layers.append(NewViews([slot.entity for slot, _ in grown], views, new))
    return layers
