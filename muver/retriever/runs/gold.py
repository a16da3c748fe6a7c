"""Where a run has the entity that each mention means."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from muver.retriever.runs.run import mentions_of_rows

Titles = Mapping[str, Sequence[str]]  # of each world's entities


def gold_ranks(run: pa.Table, mentions: pa.Table, titles: Titles, match: str) -> np.ndarray:
    """The rank of each mention's gold entity: (mentions,) int64, 0 if it was not retrieved.

    The ``gold`` of a mention is null outside the knowledge base. The rest is as for
    :func:`ranks_of`.
    """
    return ranks_of(mentions["gold"].fill_null(-1).to_numpy(), run, mentions, titles, match)


def ranks_of(
    wanted: np.ndarray, run: pa.Table, mentions: pa.Table, titles: Titles, match: str
) -> np.ndarray:
    """The rank of the entity that is ``wanted`` of each mention, (mentions,), as of its gold; -1
    wants none.

    With the ``match`` "title" an entity with that one's title is a hit (as MuVER counts on ZESHEL);
    with "id" only the entity itself is, and no ``titles`` are needed.
    """
    mention_of = mentions_of_rows(run, mentions["mention_id"].to_pylist())
    if match == "id":
        hits = run["entity"].to_numpy() == wanted[mention_of]
    else:
        places = zip(mentions["world"].to_pylist(), wanted, strict=True)
        names = np.array([titles[world][entity] for world, entity in places], dtype=object)
        hits = np.array(run["title"].to_pylist(), dtype=object) == names[mention_of]
    ranks = np.zeros(len(wanted), dtype=np.int64)
    rows = np.flatnonzero(hits)[::-1]  # backwards, so that the best rank overwrites the others
    ranks[mention_of[rows]] = run["rank"].to_numpy()[rows]
    return np.where(wanted >= 0, ranks, 0)
