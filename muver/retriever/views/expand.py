"""Merge a world's views: all layers of the heuristic search, or every span of views."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise

import numpy as np

from muver.retriever.views.layout import Ids, Markers, View, entity_slices, merged_view
from muver.retriever.views.merging import SEARCHES
from muver.retriever.views.settings import Merging

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
    searches = [SEARCHES[settings.among](vectors[own], settings) for own in slices]
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


def every_span(
    entities: np.ndarray, ids: Sequence[Ids], markers: Markers, max_views: int, max_tokens: int
) -> tuple[list[int], list[View]]:
    """Merge every run of neighbouring views, for entities with at most ``max_views`` of them.

    These are all views that merging neighbours can ever make. ``entities`` and ``ids`` are as for
    :func:`expand_world`. Returns the entities of the merged views, and the views, whose
    ``first..last`` number original views.
    """
    slices = [own for own in entity_slices(entities) if own.stop - own.start <= max_views]
    numbers = (range(own.stop - own.start) for own in slices)
    proposed = [
        [range(first, last + 1) for first, last in combinations(some, 2)] for some in numbers
    ]
    return _lay_out(entities, ids, slices, proposed, markers, max_tokens)


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
    for own, merged in zip(slices, members, strict=True):
        for some in merged:
            parts = [ids[own.start + number] for number in some]
            owners.append(int(entities[own.start]))
            views.append(View(merged_view(parts, markers, max_tokens), some[0], some[-1]))
    return owners, views
