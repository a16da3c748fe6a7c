"""An entity's names, its title and its aliases: equal to a mention, or alike by their letters.

Names are alike by the cosine of TF-IDF vectors of runs of 2 to 4 characters, as of
:class:`muver.retriever.retrieval.signals.catalog.Characters`. How many names have a run changes
with each change of the index, so what is kept of a part are counts alone.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from muver.retriever.corpus.texts import in_one_form
from muver.retriever.retrieval.signals import LENGTHS

LARGE = np.uint64(0x9E3779B97F4A7C15)  # odd: no two runs of one character become one number
SPACE = ord(" ")


def folded(name: str) -> str:
    """A name as it is compared: in one form, without regard to spaces.

    >>> folded("The  Old\\nGATE") == folded("the old gate")
    True
    """
    return " ".join(in_one_form(name).split())


class Names(NamedTuple):
    """The names of a part's entities, one behind the other.

    ``starts``, (entities + 1,), is the first name of each entity, and the number of all. ``equal``
    has the rows of the entities by folded name. ``runs``, (runs,) uint64, increasing, are numbers
    of runs of characters, and ``counts``, (runs, names) float32, says how often a name has them.
    """

    starts: np.ndarray
    equal: dict[str, list[int]]
    runs: np.ndarray
    counts: sparse.csr_array

    @classmethod
    def of(cls, titles: Sequence[str], aliases: Sequence[Sequence[str]]) -> "Names":
        names = [[title, *own] for title, own in zip(titles, aliases, strict=True)]
        equal: dict[str, list[int]] = {}
        for row, own in enumerate(names):
            for name in dict.fromkeys(map(folded, own)):
                equal.setdefault(name, []).append(row)
        runs, counts = counted([name for own in names for name in own])
        starts = np.cumsum([0, *map(len, names)])
        return cls(starts, equal, runs, counts.T.tocsr())

    def within(self, rows: slice) -> "Names":
        """The same with starts and counts of some entities alone."""
        if rows == slice(0, len(self.starts) - 1):
            return self
        starts = self.starts[rows.start : rows.stop + 1]
        counts = self.counts[:, starts[0] : starts[-1]]
        return self._replace(starts=starts - starts[0], counts=counts)


def counted(names: Sequence[str]) -> tuple[np.ndarray, sparse.csr_array]:
    """The runs of characters in names: (runs,) their numbers, increasing, and (names, runs) counts.

    A run keeps to a word with a space on each side, in one form.
    """
    spaced = ["".join(f" {word} " for word in in_one_form(name).split()) for name in names]
    letters = np.frombuffer("".join(spaced).encode("utf-32-le", "surrogatepass"), np.uint32)
    owners = np.repeat(np.arange(len(names)), list(map(len, spaced)))
    ends = np.flatnonzero((letters[:-1] == SPACE) & (letters[1:] == SPACE))
    words = np.zeros(len(letters), np.int64)  # the number of the word at each character
    words[ends + 1] = 1
    words = np.cumsum(words)
    numbers, of = [], []
    shortest, longest = LENGTHS
    with np.errstate(over="ignore"):
        number = letters.astype(np.uint64)
        for length in range(2, longest + 1):
            after = letters[length - 1 :].astype(np.uint64)
            number = (number[: len(after)] + np.uint64(1)) * LARGE + after
            if length >= shortest:
                within = words[: len(after)] == words[length - 1 :]
                numbers.append(number[within])
                of.append(owners[: len(after)][within])
    runs, places = np.unique(np.concatenate(numbers), return_inverse=True)
    rows = np.concatenate(of)
    shape = (len(names), len(runs))
    return runs, sparse.csr_array((np.ones(len(rows), np.float32), (rows, places)), shape=shape)


class Letters:
    """How rare runs of characters are in the names of the entities asked, and the lengths of these
    names' vectors. ``asked`` is a :class:`muver.kb.index.search.Asked`.
    """

    def __init__(self, asked: Any):
        self._asked = asked
        self._own = [part.names.within(rows) for part, rows in asked.parts]
        having, count = [], 0
        for (part, rows), names in zip(asked.parts, self._own, strict=True):
            there = np.repeat(part.live[rows], np.diff(names.starts)).astype(float)
            having.append((names.counts > 0).astype(float) @ there)
            count += int(there.sum())
        every = [names.runs for names in self._own]
        self._runs, places = np.unique(np.concatenate(every or [[]]), return_inverse=True)
        total = np.bincount(places, np.concatenate(having or [[]]), len(self._runs))
        self._rare = np.where(total > 0, np.log((1 + count) / (1 + total)) + 1, 0)
        self._lengths = []
        for names in self._own:
            squares = names.counts.power(2).T @ np.square(self._of(names.runs))
            self._lengths.append(np.sqrt(squares))

    def _of(self, runs: np.ndarray) -> np.ndarray:
        """How rare some runs are; 0 for those that no name has."""
        if not len(self._runs):
            return np.zeros(len(runs))
        places = np.minimum(np.searchsorted(self._runs, runs), len(self._runs) - 1)
        return np.where(self._runs[places] == runs, self._rare[places], 0)

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Cosines of texts and the most alike name of each entity: (texts, entities) float32."""
        runs, counts = counted(texts)
        rare = self._of(runs)
        weighed = counts.multiply(rare).tocsr()
        lengths = np.sqrt(weighed.power(2).sum(axis=1))
        weighed = weighed.multiply(rare).tocsr()
        found = np.zeros((len(texts), len(self._asked)), np.float32)
        for names, place, own in zip(self._own, self._asked.places, self._lengths, strict=True):
            if not len(names.runs) or not len(runs):
                continue
            at = np.minimum(np.searchsorted(names.runs, runs), len(names.runs) - 1)
            known = names.runs[at] == runs
            table = weighed[:, np.flatnonzero(known)]
            products = (table @ names.counts[at[known]]).toarray()
            both = lengths[:, None] * own[None]
            cosines = np.divide(products, both, out=np.zeros_like(products), where=both > 0)
            best = np.maximum.reduceat(cosines, names.starts[:-1], axis=1)
            found[:, place] = best
        return found
