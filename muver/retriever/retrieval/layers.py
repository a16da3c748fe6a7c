"""The views that a system ranks by: the store's original views and those made from them."""

from pathlib import Path

import numpy as np

from muver.io.errors import InputError
from muver.retriever.retrieval.retrieval_settings import Viewed
from muver.retriever.retrieval.rows import GLOBAL, ORIGINAL, Origins
from muver.retriever.vectors.part import Part, open_layer
from muver.retriever.vectors.pooled import pool_each


class SystemViews:
    """Views of a system, one world at a time: original, merged, global.

    A global view that is added to the others is no view of its own. ``originals`` and ``mentions``
    are parts of the store, in whose order worlds and mentions are. The folders are those that
    ``muver stage encode``, ``merge`` and ``encode-global`` wrote; the last two are needed if the
    settings ask for their views.
    """

    def __init__(
        self,
        settings: Viewed,
        store: Path,
        merged: Path | None = None,
        global_views: Path | None = None,
    ):
        folders = {"merged": merged, "global_views": global_views}
        for name in settings.further:
            if folders[name] is None:
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"{option} is needed, as the settings ask for its views.")
        self.aggregate, self._pool = settings.scorer, settings.pool
        self.originals, self.mentions = open_layer(store, 0), Part(store / "mentions.npy")
        self._parts: list[tuple[int, Part]] = [(ORIGINAL, self.originals)]
        for number in range(1, settings.merge_layers + 1):
            self._parts.append((number, open_layer(merged, number)))
        self._added, self._weight = None, settings.global_view
        if settings.global_view is True:
            self._parts.append((GLOBAL, open_layer(global_views, 0)))
        elif settings.global_view:
            self._added = open_layer(global_views, 0)

    def mention_ids(self, name: str) -> list[str]:
        """Ids of the store's mentions of one world."""
        return self.mentions.rows(name)["mention_id"].to_pylist()

    def length(self, name: str) -> float:
        """The product of a mention's and an original view's length, where all have one length."""
        first = self.mentions.vectors(name)[0], self.originals.vectors(name)[0]
        return float(np.prod(np.linalg.norm(first, axis=1)))

    def world(self, name: str) -> tuple[list[np.ndarray], np.ndarray, Origins]:
        """One world's views, kind by kind.

        The (some views, d) vectors of each kind, memory-mapped unless they are changed. Then, for
        the views of all kinds in this order, the (views,) entity of each, and its origin.
        A pooled vector has that of the view it is most like.
        """
        parts, entities, origins = [], [], []
        for code, part in self._parts:
            views = part.world(name)
            vectors = views.vectors
            if self._added is not None:
                vectors = vectors + self._weight * self._added.world(name).vectors[views.entities]
            parts.append(vectors)
            entities.append(views.entities)
            origins.append(Origins(np.full(len(vectors), code), views.first, views.last))
        stacked = Origins(*(np.concatenate(columns) for columns in zip(*origins, strict=True)))
        owners = np.concatenate(entities)
        if self._pool:
            pooled, like = pool_each(parts, owners, self._pool)
            return [pooled], owners[like], Origins(*(column[like] for column in stacked))
        return parts, owners, stacked


def greatest_first(similarities: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """(views,) int64 the order of views by share, then by similarity, greatest first."""
    return np.lexsort((-similarities, -shares))
