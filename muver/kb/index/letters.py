"""Names that are alike by their letters: the cosine of TF-IDF vectors of runs of 2 to 4 characters,
as of :class:`muver.retriever.retrieval.signals.catalog.Characters`.

How many names have a run changes with each change of the index, so what is kept of a part are
counts alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from muver.kb.index.lookup import letters, places


class Letters:
    """How rare runs of characters are in the names of the entities asked, and the lengths of these
    names' vectors. ``asked`` is a :class:`muver.kb.index.asked.Asked`.
    """

    def __init__(self, asked: Any):
        self._asked, self._own, having, count = asked, [], [], 0
        for part, rows in asked.parts:
            starts = part.names()[0][rows.start : rows.stop + 1]
            keys, counts = part.letters
            if (starts[0], starts[-1]) != (0, counts.shape[1]):
                counts = counts[:, starts[0] : starts[-1]]
            starts = starts - starts[0]
            there = np.repeat(part.live[rows], np.diff(starts))
            self._own.append((keys, counts, starts))
            # A count is never 0, so that all of them say how many names have a run.
            names = np.cumsum(np.append(0, there[counts.indices]))
            having.append(np.diff(names[counts.indptr]))
            count += int(there.sum())
        every = pa.chunked_array([keys for keys, _, _ in self._own], pa.uint64())
        encoded = every.dictionary_encode().chunks
        runs = encoded[0].dictionary.to_numpy() if encoded else np.empty(0, np.uint64)
        total = np.zeros(len(runs), np.int64)
        for runs_of, names in zip(encoded, having, strict=True):
            total[runs_of.indices] += names
        rare = np.where(total > 0, np.log((1 + count) / (1 + total)) + 1, 0)
        self._lengths = [
            np.sqrt(counts.power(2, np.float64).T @ np.square(rare[each.indices]))
            for each, (_, counts, _) in zip(encoded, self._own, strict=True)
        ]
        order = np.argsort(runs)
        self._runs, self._rare = runs[order], np.append(rare[order], 0)  # the last of no run

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Cosines of texts and the most alike name of each entity: (texts, entities) float32."""
        table = letters(texts)
        runs, rare = table.keys, self._rare[places(self._runs, table.keys)]
        weighed = table.matrix(len(texts)).T.multiply(rare).tocsr()
        lengths = np.sqrt(weighed.power(2).sum(axis=1))
        weighed = weighed.multiply(rare).tocsr()
        best = np.zeros((len(texts), len(self._asked)), np.float32)
        parts = zip(self._own, self._asked.places, self._lengths, strict=True)
        for (keys, counts, starts), place, norm in parts:
            at = places(keys, runs)
            products = (weighed[:, at >= 0] @ counts[at[at >= 0]]).toarray()
            both = lengths[:, None] * norm[None]
            cosines = np.divide(products, both, out=np.zeros_like(products), where=both > 0)
            best[:, place] = np.maximum.reduceat(cosines, starts[:-1], axis=1)
        return best
