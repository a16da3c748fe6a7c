"""Two ways to search an entity's views for pairs to merge.

A layer of merging asks a search for new views (:meth:`propose`), has them encoded, and hands back
their vectors (:meth:`accept`), from which the search chooses the next layer.
"""

from typing import Protocol

import numpy as np

from muver.retriever.views.merging import Members, able_to_grow, grow, pairs_to_merge, unions_to_add
from muver.retriever.views.settings import Merging


class Search(Protocol):
    """What :func:`muver.retriever.views.expand.expand_world` needs of a search."""

    def propose(self) -> list[list[int]]:
        """The next layer's new views, each as its original views in increasing order."""
        ...

    def accept(self, vectors: np.ndarray) -> None:
        """Take the (new views, d) vectors of the proposed views."""
        ...


class Neighbours:
    """Slots that grow to the right (:func:`muver.retriever.views.merging.grow`).

    The original views' (n, d) vectors are copied.
    """

    def __init__(self, vectors: np.ndarray, settings: Merging):
        self._vectors = np.array(vectors)
        self._ends = list(range(len(vectors)))
        self._top_k = settings.top_k
        self._pairs = settings.pairs
        self._replaces = settings.wasted == "replaced"
        self._grown: list[int] = []

    def propose(self) -> list[list[int]]:
        """Views of the slots that grow in this layer."""
        able = able_to_grow(self._ends) if self._replaces else None
        chosen = pairs_to_merge(self._vectors, self._top_k, self._pairs, able)
        grown = grow(self._ends, chosen)
        for slot, end in grown.items():
            self._ends[slot] = end
        self._grown = list(grown)
        return [list(range(slot, end + 1)) for slot, end in grown.items()]

    def accept(self, vectors: np.ndarray) -> None:
        """Give each slot that grew the vector of its new view."""
        self._vectors[self._grown] = vectors


class AllPairs:
    """The set V, to which unions are added (:func:`.merging.unions_to_add`)."""

    def __init__(self, vectors: np.ndarray, settings: Merging):
        self._vectors = vectors
        self._sets = [frozenset([view]) for view in range(len(vectors))]
        self._count = int(len(vectors) * settings.top_k)
        self._pairs = settings.pairs
        self._new: list[Members] = []

    def propose(self) -> list[list[int]]:
        """The unions that join V in this layer."""
        self._new = unions_to_add(self._sets, self._vectors, self._count, self._pairs)
        return [sorted(union) for union in self._new]

    def accept(self, vectors: np.ndarray) -> None:
        """Add the unions to V."""
        self._sets += self._new
        self._vectors = np.concatenate([self._vectors, vectors])


SEARCHES = {"neighbours": Neighbours, "all": AllPairs}
