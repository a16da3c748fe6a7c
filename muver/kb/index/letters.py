"""Names that are alike by their letters: the cosine of TF-IDF vectors of character n-grams, as of
:class:`muver.retriever.retrieval.signals.catalog.Characters`.

How many names have an n-gram changes with each change of the index, so a part keeps counts alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

from muver.kb.index.lookup import ngrams, positions
from muver.kb.index.segments import Part


class Names(NamedTuple):
    """The names of entities in a part: ``keys``, (n-grams,) uint64, increase; ``counts``, (n-grams,
    names), say how often each name has each; ``starts``, (entities + 1,), are the first name of
    each entity, and the number of all.
    """

    keys: np.ndarray
    counts: sparse.csr_array
    starts: np.ndarray

    @classmethod
    def of(cls, part: Part, rows: slice) -> "Names":
        starts = part.names()[0][rows.start : rows.stop + 1]
        keys, counts = part.letters
        if (starts[0], starts[-1]) != (0, counts.shape[1]):
            counts = counts[:, starts[0] : starts[-1]]
        return cls(keys, counts, starts - starts[0])


class Letters:
    """The n-grams of the names in a scope (:class:`muver.kb.index.scope.Scope`, which explains
    ``parts`` and ``places``), weighed by how few of these names have them.
    """

    def __init__(self, parts: Sequence[tuple[Part, slice]], places: Sequence[slice]):
        self._places, self._names = places, [Names.of(part, rows) for part, rows in parts]
        names_having, total = [], 0
        for (part, rows), (_, counts, starts) in zip(parts, self._names, strict=True):
            live = np.repeat(part.live[rows], np.diff(starts))
            # A count is never 0, so that all of them say how many names have an n-gram.
            so_far = np.cumsum(np.append(0, live[counts.indices]))
            names_having.append(np.diff(so_far[counts.indptr]))
            total += int(live.sum())
        every = pa.chunked_array([names.keys for names in self._names], pa.uint64())
        encoded = every.dictionary_encode().chunks  # by one dictionary of all
        keys = encoded[0].dictionary.to_numpy() if encoded else np.empty(0, np.uint64)
        frequencies = np.zeros(len(keys), np.int64)
        for of_part, having in zip(encoded, names_having, strict=True):
            frequencies[of_part.indices] += having
        idf = np.where(frequencies > 0, np.log((1 + total) / (1 + frequencies)) + 1, 0)
        self._lengths = [  # of the names' TF-IDF vectors
            np.sqrt(names.counts.power(2, np.float64).T @ np.square(idf[of_part.indices]))
            for of_part, names in zip(encoded, self._names, strict=True)
        ]
        order = np.argsort(keys)
        self._keys, self._idf = keys[order], np.append(idf[order], 0)  # the last of no n-gram

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Cosines of texts and the most alike name of each entity: (texts, entities) float32."""
        table = ngrams(texts)
        idf = self._idf[positions(self._keys, table.keys)]
        weighed = table.matrix(len(texts)).T.multiply(idf).tocsr()
        lengths = np.sqrt(weighed.power(2).sum(axis=1))
        weighed = weighed.multiply(idf).tocsr()  # with the weights of the names, which have counts
        best = np.zeros((len(texts), self._places[-1].stop if self._places else 0), np.float32)
        for names, place, norms in zip(self._names, self._places, self._lengths, strict=True):
            at = positions(names.keys, table.keys)
            products = (weighed[:, at >= 0] @ names.counts[at[at >= 0]]).toarray()
            both = lengths[:, None] * norms[None]
            cosines = np.divide(products, both, out=np.zeros_like(products), where=both > 0)
            best[:, place] = np.maximum.reduceat(cosines, names.starts[:-1], axis=1)
        return best
