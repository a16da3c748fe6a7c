"""Choose which views of an entity to merge in a layer (section 2.3).

Among *neighbours*, an entity with n views keeps n *slots*. Slot i starts as view i alone. When it
is chosen it grows to the end of slot i + 1 and keeps its place, so every layer has the same number
of slots and of pairs to choose. Views made in earlier layers stay among the entity's views. This is
how the released code searches. A chosen slot whose neighbour does not reach beyond it makes no
view: as released, that choice is *wasted*; it can also be *replaced* by the next pair in the order,
so that every layer makes as many views as it may.

Among *all* views, any two members of the growing set V may be united: this is our reading of the
paper's text. A member of V is a set of original views.

A layer asks a search for new views (``propose``), has them encoded, and hands back their vectors
(``accept``), from which the search chooses the next layer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from muver.retriever.views.layout import Ids, Markers, View, entity_slices, merged_view
from muver.retriever.views.views_settings import Merging

Pairs = Literal["distant", "close"]
Members = frozenset[int]  # original views, numbered from 0


class Neighbours:
    """Slots that grow to the right, from the (n, d) vectors of an entity's original views."""

    def __init__(self, vectors: np.ndarray, settings: Merging):
        self._vectors = np.array(vectors)
        self._ends = list(range(len(vectors)))
        self._settings = settings
        self._grown: list[int] = []

    def propose(self) -> list[list[int]]:
        """Views of the slots that grow in this layer, each as its original views."""
        settings = self._settings
        able = able_to_grow(self._ends) if settings.wasted == "replaced" else None
        pairs = pairs_to_merge(self._vectors, settings.top_k, settings.pairs, able)
        grown = grow(self._ends, pairs)
        for slot, end in grown.items():
            self._ends[slot] = end
        self._grown = list(grown)
        return [list(range(slot, end + 1)) for slot, end in grown.items()]

    def accept(self, vectors: np.ndarray) -> None:
        """Give each slot that grew the vector of its new view, of (new views, d)."""
        self._vectors[self._grown] = vectors


class AllPairs:
    """The set V, to which unions are added, from the (n, d) vectors of the original views."""

    def __init__(self, vectors: np.ndarray, settings: Merging):
        self._vectors = vectors
        self._sets = [frozenset([view]) for view in range(len(vectors))]
        self._count = int(len(vectors) * settings.top_k)
        self._pairs = settings.pairs
        self._new: list[Members] = []

    def propose(self) -> list[list[int]]:
        """The unions that join V in this layer, each as its original views."""
        self._new = unions_to_add(self._sets, self._vectors, self._count, self._pairs)
        return [sorted(union) for union in self._new]

    def accept(self, vectors: np.ndarray) -> None:
        """Add the unions to V with their (new views, d) vectors."""
        self._sets += self._new
        self._vectors = np.concatenate([self._vectors, vectors])


SEARCHES = {"neighbours": Neighbours, "all": AllPairs}


def pairs_to_merge(
    vectors: np.ndarray, top_k: float, pairs: Pairs = "distant", able: np.ndarray | None = None
) -> list[int]:
    """Choose the left members i of the neighbouring pairs (i, i + 1) to merge, in their order.

    From the slots' (n, d) vectors at the start of the layer int(n * top_k) pairs are chosen, or as
    many as there are: "distant": the greatest squared L2 distance first (Table 3, "Distant Pairs");
    "close": the smallest first. The earlier of two equally distant pairs goes first. ``able``,
    (n - 1,) bool, are the pairs to choose from; all if not given.

    >>> views = np.array([[0.0], [1.0], [5.0], [6.0], [8.0]])
    >>> pairs_to_merge(views, 0.4), pairs_to_merge(views, 0.4, "close")
    ([1, 3], [0, 2])
    """
    distances = np.square(vectors[1:] - vectors[:-1]).sum(axis=1)
    order = np.argsort(-distances if pairs == "distant" else distances, kind="stable")
    if able is not None:
        order = order[able[order]]
    return sorted(order[: int(len(vectors) * top_k)].tolist())


def able_to_grow(ends: Sequence[int]) -> np.ndarray:
    """The slots whose right neighbour reaches beyond their own end: (n - 1,) bool.

    >>> able_to_grow([1, 2, 2]).tolist()
    [True, False]
    """
    return np.diff(ends) > 0


def grow(ends: Sequence[int], chosen: Sequence[int]) -> dict[int, int]:
    """New ends of the chosen slots, from the ends before this layer.

    ``ends`` is the last original view of each slot; slot i always starts at view i. A chosen slot
    that cannot grow is left out: that choice makes no view.

    >>> grow([1, 2, 2], chosen=[0, 1])
    {0: 2}
    """
    able = able_to_grow(ends)
    return {slot: ends[slot + 1] for slot in chosen if able[slot]}


def unions_to_add(
    sets: Sequence[Members], vectors: np.ndarray, count: int, pairs: Pairs = "distant"
) -> list[Members]:
    """Choose new sets for V: unions of the most distant, or closest, pairs of its members.

    ``sets`` are V at the start of the layer, with (len(sets), d) vectors. ``count`` unions are
    added, each once, in the order of their pairs; fewer if V has no more. The distance of a pair is
    L2. Among equal distances, the pair whose first member joined V earlier goes first, then the one
    whose second did.

    >>> members = [frozenset([view]) for view in range(3)]
    >>> [sorted(union) for union in unions_to_add(members, np.array([[0.0], [1.0], [5.0]]), 2)]
    [[0, 2], [1, 2]]
    """
    from scipy.spatial.distance import pdist

    distances = pdist(vectors, "sqeuclidean")
    left, right = np.triu_indices(len(sets), 1)  # the order of pdist
    known, new = set(sets), []
    for pair in np.argsort(-distances if pairs == "distant" else distances, kind="stable"):
        if len(new) == count:
            break
        union = sets[left[pair]] | sets[right[pair]]
        if union not in known:
            known.add(union)
            new.append(union)
    return new


EncodeViews = Callable[[Sequence[Ids]], np.ndarray]


@dataclass(frozen=True)
class NewViews:
    """The views that a layer adds to a world, sorted by entity."""

    entities: list[int]
    views: list[View]
    vectors: np.ndarray


def expand_world(
    entities: np.ndarray,
    views: Sequence[View],
    vectors: np.ndarray,
    encode: EncodeViews,
    markers: Markers,
    settings: Merging,
) -> list[NewViews]:
    """Run the heuristic search over all entities of a world (section 2.3).

    ``entities``, (views,), and ``vectors``, (views, d), are of the original ``views``, those of one
    entity next to each other. All merged views of a layer are encoded together, so that they can be
    batched by length: ``encode`` turns n lists of token ids into (n, d) vectors. Returns the new
    views of each layer. Their sentences ``first..last`` are those from the first of their original
    views to the last, whatever lies between.
    """
    slices = entity_slices(entities)
    searches = [SEARCHES[settings.among](vectors[originals], settings) for originals in slices]
    layers = []
    for _ in range(settings.layers):
        owners: list[int] = []
        merged: list[View] = []
        bounds = [0]
        for search, originals in zip(searches, slices, strict=True):
            for union in search.propose():
                parts = [views[originals.start + number] for number in union]
                ids = merged_view([part.ids for part in parts], markers, settings.max_tokens)
                owners.append(int(entities[originals.start]))
                merged.append(View(ids, parts[0].first, parts[-1].last))
            bounds.append(len(merged))
        new = encode([view.ids for view in merged])
        for search, (start, stop) in zip(searches, pairwise(bounds), strict=True):
            search.accept(new[start:stop])
        layers.append(NewViews(owners, merged, new))
    return layers
