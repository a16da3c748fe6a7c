"""An entity's names, its title and its aliases: equal to a mention, or alike by their letters.

Names are alike by the cosine of TF-IDF vectors of runs of 2 to 4 characters, as of
:class:`muver.retriever.retrieval.signals.catalog.Characters`. How many names have a run changes
with each change of the index, so what is kept of a part are counts alone.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from muver.kb.index.tables import TABLE, Table, keys_of, places
from muver.retriever.corpus.texts import in_one_form, split
from muver.retriever.retrieval.signals import LENGTHS

LARGE = np.uint64(0x9E3779B97F4A7C15)  # odd: no two runs of one character become one number
SPACE = ord(" ")
LOOKED_UP = [
    ("words", TABLE),  # of entities
    ("length_in_words", pa.int32()),
    ("letters", TABLE),  # of names
    ("folded", pa.list_(pa.uint64())),  # a key of each name as it is compared
]


def folded(name: str) -> str:
    """A name as it is compared: in one form, without regard to spaces.

    >>> folded("The  Old\\nGATE") == folded("the old gate")
    True
    """
    return " ".join(in_one_form(name).split())


def letters(names: Sequence[str]) -> Table:
    """A table of the runs of characters in each name.

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
    return Table.of(pa.array(np.concatenate(numbers)), np.concatenate(of), len(names))


def looked_up(titles: pa.Array, aliases: pa.Array, descriptions: pa.Array) -> dict[str, pa.Array]:
    """The columns of a part by which its words and names are looked up."""
    titles, aliases, descriptions = (
        column.to_pylist() for column in (titles, aliases, descriptions)
    )
    names = [[title, *more] for title, more in zip(titles, aliases, strict=True)]
    texts = [" ".join([*of_row, text]) for of_row, text in zip(names, descriptions, strict=True)]
    words, flat, entities = split(texts), [*chain.from_iterable(names)], len(names)
    lengths, ends = list(map(len, words)), np.cumsum([0, *map(len, names)])
    every = pa.array([*chain.from_iterable(words)], pa.string())
    table = Table.of(every, np.repeat(np.arange(entities), lengths), entities)
    keys = pa.array(keys_of(map(folded, flat)))
    return {
        "words": table.column(entities),
        "length_in_words": pa.array(lengths, pa.int32()),
        "letters": letters(flat).column(entities),
        "folded": pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), keys),
    }


class Letters:
    """How rare runs of characters are in the names of the entities asked, and the lengths of these
    names' vectors. ``asked`` is a :class:`muver.kb.index.asked.Asked`.
    """

    def __init__(self, asked: Any):
        self._asked, self._own, having, count = asked, [], [], 0
        for part, rows in asked.parts:
            first, last = part.starts[rows.start], part.starts[rows.stop]
            keys, counts = part.letters
            if (first, last) != (0, counts.shape[1]):
                counts = counts[:, first:last]
            starts = part.starts[rows.start : rows.stop + 1] - first
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
        found = np.zeros((len(texts), len(self._asked)), np.float32)
        parts = zip(self._own, self._asked.places, self._lengths, strict=True)
        for (keys, counts, starts), place, norm in parts:
            at = places(keys, runs)
            products = (weighed[:, at >= 0] @ counts[at[at >= 0]]).toarray()
            both = lengths[:, None] * norm[None]
            cosines = np.divide(products, both, out=np.zeros_like(products), where=both > 0)
            found[:, place] = np.maximum.reduceat(cosines, starts[:-1], axis=1)
        return found
