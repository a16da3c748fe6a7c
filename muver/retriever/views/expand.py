"""Merge a world's views: all layers of the heuristic search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from muver.retriever.views.layout import Ids, Markers, View, entity_slices, merged_view
from muver.retriever.views.merging import SEARCHES
from muver.retriever.views.views_settings import Merging

EncodeViews = Callable[[Sequence[Ids]], np.ndarray]


@dataclass(frozen=True)
class NewViews:
    """The views that a layer adds to a world, sorted by entity."""

    entities: list[int]
    views: list[View]
    vectors: np.ndarray


def expand_world(
    entities: np.ndarray,
    ids: Sequence[Ids],
    vectors: np.ndarray,
    encode: EncodeViews,
    markers: Markers,
    settings: Merging,
) -> list[NewViews]:
    """Run the heuristic search over all entities of a world (section 2.3).

    ``entities``, (views,), ``ids`` and ``vectors``, (views, d), are of the original views, those of
    one entity next to each other. All merged views of a layer are encoded together, so that they
    can be batched by length: ``encode`` turns n lists of token ids into (n, d) vectors. Returns the
    new views of each layer. Their ``first..last`` number original views; a merged set with gaps is
    given by its two ends.
    """
    slices = entity_slices(entities)
    searches = [SEARCHES[settings.among](vectors[views], settings) for views in slices]
    layers = []
    for _ in range(settings.layers):
        proposed = [search.propose() for search in searches]
        owners, views = _lay_out(entities, ids, slices, proposed, markers, settings.max_tokens)
        new = encode([view.ids for view in views])
        bounds = pairwise(accumulate(map(len, proposed), initial=0))
        for search, (start, stop) in zip(searches, bounds, strict=True):
            search.accept(new[start:stop])
        layers.append(NewViews(owners, views, new))
    return layers


def _lay_out(
    entities: np.ndarray,
    ids: Sequence[Ids],
    slices: Sequence[slice],
    members: Sequence[Sequence[Sequence[int]]],
    markers: Markers,
    max_tokens: int,
) -> tuple[list[int], list[View]]:
    """The entity and the merged view for each list of original views in ``members``."""
    owners: list[int] = []
    views: list[View] = []
    for originals, unions in zip(slices, members, strict=True):
        for union in unions:
            parts = [ids[originals.start + number] for number in union]
            owners.append(int(entities[originals.start]))
            views.append(View(merged_view(parts, markers, max_tokens), union[0], union[-1]))
    return owners, views
