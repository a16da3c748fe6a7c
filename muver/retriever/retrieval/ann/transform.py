"""Transform vectors so that an index finds the greatest inner products.

There are two steps, and neither changes the order of the views for any mention:

* Centring subtracts the mean of the views from each. ``q.(x - mean)`` differs from ``q.x`` by a
  number that all views share. Without it, the large common part of an encoder's vectors uses up
  the range of every quantiser and hides what separates the cells.
* Augmentation, for L2 only, gives a view one further value ``sqrt(M^2 - |x|^2)``, where M is the
  greatest norm, and a mention 0. All views then have norm M, so the nearest view has the greatest
  product: ``|q - x'|^2 = |q|^2 + M^2 - 2 q.x`` (Bachrach et al., RecSys 2014).
"""

from dataclasses import dataclass

import numpy as np

from muver.retriever.vectors.shards import Shards


@dataclass(frozen=True)
class Transform:
    """Applied to views before they are added, and to mentions before a search.

    Attributes
    ----------
    centre : (d,) float32
        Subtracted from views; zeros if they are not centred.
    norm
        The greatest norm of a view after centring; None without augmentation.
    """

    centre: np.ndarray
    norm: float | None

    @property
    def dimension(self) -> int:
        """Dimension of the vectors that the index stores."""
        return len(self.centre) + (self.norm is not None)

    def views(self, vectors: np.ndarray) -> np.ndarray:
        """(n, d) float32 to (n, dimension) float32."""
        vectors = vectors - self.centre
        if self.norm is None:
            return vectors
        rest = np.float64(self.norm) ** 2 - squares(vectors)
        last = np.sqrt(np.maximum(rest, 0)).astype(np.float32)
        return np.concatenate([vectors, last[:, None]], axis=1)

    def mentions(self, vectors: np.ndarray) -> np.ndarray:
        """(n, d) to (n, dimension) float32, C-contiguous."""
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        if self.norm is None:
            return vectors
        return np.concatenate([vectors, np.zeros((len(vectors), 1), np.float32)], axis=1)

    def products(self, mentions: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Inner products from what the index returns for (n, d) mentions.

        ``found``, (n, fetched), has squared distances if views are augmented, else products with
        centred views.
        """
        products = found.astype(np.float64)
        if self.norm is not None:
            products = (squares(mentions)[:, None] + np.float64(self.norm) ** 2 - products) / 2
        return (products + (mentions @ self.centre)[:, None]).astype(np.float32)


def fit(shards: Shards, centre: bool, augment: bool, memory_mb: int) -> Transform:
    """Read all views for their mean, and again for their greatest norm, as asked for."""
    mean = np.zeros(shards.dimension)
    if centre:
        for block in shards.blocks(memory_mb):
            mean += block.vectors.sum(axis=0, dtype=np.float64)
    middle = (mean / max(shards.views, 1)).astype(np.float32)
    if not augment:
        return Transform(middle, None)
    greatest = max(
        squares(block.vectors - middle).max(initial=0) for block in shards.blocks(memory_mb)
    )
    return Transform(middle, float(np.sqrt(greatest)))


def squares(vectors: np.ndarray) -> np.ndarray:
    """(n, d) to the squared norms: (n,) float64."""
    return np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64)
