"""Fewer vectors an entity: clusters of similar ones, each as its mean.

The token pooling of late interaction (Clavie, Chaffin and Adams: Reducing the Footprint of
Multi-Vector Retrieval with Minimal Performance Impact via Token Pooling, 2024), for token vectors
and for those of views.
"""

from collections.abc import Sequence

import numpy as np

from muver.retriever.vectors.shards import side_by_side

LEAST = np.finfo(np.float32).tiny  # in place of a length of 0


def pool(vectors: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """At most ``most`` vectors in place of those of an entity, (n, d).

    Ward's hierarchical clustering of the vectors at unit length. A cluster's mean is made as long
    as its members are on average, so that it scores as one of them. Returns the (k, d) means, and
    for each the number of its member that is most like it.
    """
    if len(vectors) <= most:
        return vectors, np.arange(len(vectors))
    from scipy.cluster.hierarchy import fcluster, linkage

    lengths = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.maximum(lengths, LEAST)[:, None]
    labels = fcluster(linkage(unit, "ward"), most, "maxclust")
    means, members = [], []
    for label in np.unique(labels):
        cluster = np.flatnonzero(labels == label)
        mean = unit[cluster].mean(axis=0)
        members.append(cluster[np.argmax(unit[cluster] @ mean)])
        means.append(mean * (lengths[cluster].mean() / max(np.linalg.norm(mean), LEAST)))
    return np.array(means, dtype=vectors.dtype), np.array(members)


def pool_each(
    parts: Sequence[np.ndarray], owners: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Pool the views of each entity of a world.

    The vectors come in consecutive ``parts``, (some views, d) each; ``owners``, (views,), has the
    entity of each view, in any order. Returns the (k, d) pooled vectors, entity by entity, and the
    (k,) view that each is most like.
    """
    vectors, means, views = np.concatenate(parts), [], []
    order, starts = side_by_side(owners)
    for of_entity in np.split(order, starts[1:]):
        pooled, members = pool(vectors[of_entity], most)
        means.append(pooled)
        views.append(of_entity[members])
    return np.concatenate(means), np.concatenate(views)
