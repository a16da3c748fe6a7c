"""What each view of a candidate adds to its score for a mention."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.exact import similarity
from muver.retriever.retrieval.layers import SystemViews
from muver.retriever.retrieval.rows import Origins
from muver.retriever.vectors.block import ViewBlock


class Parts(NamedTuple):
    """The views of a candidate, in the order of :func:`greatest_first`.

    Attributes
    ----------
    similarities : (views,)
        Similarity of the mention and each view.
    shares : (views,)
        Each view's part of the candidate's score
        (:meth:`muver.retriever.retrieval.aggregates.Aggregate.shares`); their sum is 1.
    owners, rows : (views,) int64
        As of :class:`muver.retriever.vectors.block.ViewBlock`.
    """

    similarities: np.ndarray
    shares: np.ndarray
    owners: np.ndarray
    rows: np.ndarray

    @classmethod
    def of(
        cls, mention: np.ndarray, world: ViewBlock, entity: int, aggregate: Aggregate, metric: str
    ) -> "Parts":
        """The parts of the candidate that an entity belongs to, for a mention's vector (d,)."""
        own = world.of_candidate(entity)
        (similarities,) = similarity(mention[None], own.vectors, metric)
        shares = aggregate.shares(similarities)
        order = greatest_first(similarities, shares)
        return cls(similarities[order], shares[order], own.owners[order], own.rows[order])


def greatest_first(similarities: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """(views,) int64 the order of views by share, then by similarity, greatest first."""
    return np.lexsort((-similarities, -shares))


def few_candidates(
    views: SystemViews, world: str, candidate_of: np.ndarray, entities: Sequence[int] | np.ndarray
) -> tuple[ViewBlock, Origins]:
    """The views of only some candidates of a world, and their origins.

    ``candidate_of`` is as for :func:`muver.retriever.vectors.block.ViewBlock.of`; ``entities``
    must hold at least one entity of each candidate.
    """
    parts, owners, origins = views.world(world)
    kept = np.isin(candidate_of[owners], candidate_of[entities])
    ends = np.cumsum([len(part) for part in parts])
    few = [part[own] for part, own in zip(parts, np.split(kept, ends[:-1]), strict=True)]
    index = ViewBlock.of(few, owners[kept], candidate_of)
    return index, Origins(*(column[kept] for column in origins))
