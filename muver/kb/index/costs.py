"""What an index's answers cost, in tokens, by what the index holds.

A token is a third of a millisecond of a core: what all-MiniLM-L6-v2 takes to read a word piece.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.kb.index.entity import Entity
from muver.retriever.answers import Mention
from muver.retriever.corpus.texts import clean
from muver.retriever.views.boundaries import sentence_spans

NO_MODEL = 0.4  # tokens of a word piece where words are looked up
# As many take about as long as a token:
NUMBERS_COMPARED = 1_000_000  # of vectors that a mention is multiplied with
NUMBERS_SUMMED = 40_000  # of a candidate's vectors, compared in double precision
BYTES = 100_000  # of a candidate's texts, and once more of those that answers show
VALUES = 150  # of a candidate's other columns
VALUES_NARROWED, BYTES_NARROWED = 450, 10_000  # of all other columns, and of all names
PIECES_BY_LETTERS = 2_000_000  # of a mention times letters of all names
CHARACTERS_EXPLAINED = 200  # of a description whose views are told
ALIASES_EXPLAINED = 8  # under each of which is a view
ENTITIES_A_TOKEN = 100_000  # among which a word is looked up
ENTITIES_NARROWED = 60  # that are looked through for other columns
WORLD = 30  # tokens that each further world takes
VIEW, TITLE = 40, 4  # tokens of a view, and of it beside title and sentence
# At most about so many word pieces are in a text, of any language: none has more than three letters
# without accents. A context of more is cut, and so what is far from the mention is not counted.
PIECE = re.compile(r"[A-Za-z]{1,3}|\w|[^\w\s]")
LONGEST, NEAR = 128, 512


def pieces(text: str) -> int:
    """About how many word pieces a text has at most.

    >>> pieces("The king, 1066")
    8
    """
    return len(PIECE.findall(text))


class Held(NamedTuple):
    """What the entities of a part cost.

    ``tokens``, (entities,) float32, is the cost of each as a candidate. ``numbers`` counts those of
    their vectors, ``letters`` the bytes of their names, ``values`` those of their other columns.
    """

    tokens: np.ndarray
    numbers: int
    letters: int
    values: int

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> "Held":
        aliases, further = batch["aliases"], batch["further"]
        title, description = _bytes(batch["title"]), _bytes(batch["description"])
        names = title + _in_lists(aliases, _bytes(aliases.values))
        columns = _in_lists(further, _bytes(further.keys) + _bytes(further.items))
        values = np.diff(further.offsets.to_numpy())
        numbers = np.zeros(len(batch), np.int64)
        for column in batch.columns:
            if pa.types.is_list(column.type) and pa.types.is_fixed_size_list(column.values.type):
                numbers += np.diff(column.offsets.to_numpy()) * column.values.type.list_size
        tokens = 1 + (title + names + description + 2 * columns) / BYTES
        tokens += values / VALUES + numbers / NUMBERS_SUMMED
        totals = numbers.sum(), names.sum(), values.sum()
        return cls(tokens.astype(np.float32), *map(int, totals))


@dataclass(frozen=True)
class Costs:
    """What an index's answers cost in tokens.

    It has so many ``entities``, vectors of so many ``numbers``, and ``letters`` and ``values`` as
    of :class:`Held`; ``most``, (entities + 1,), is what the most expensive candidates cost
    together. A word piece of a mention takes ``piece``, and of an entity that is brought in, whose
    views may be merged, ``piece_of_entity``. A second stage takes ``reranked`` for each of its
    ``depth`` candidates, however many are asked for.
    """

    entities: int
    most: np.ndarray
    numbers: int
    letters: int
    values: int
    piece: float = NO_MODEL
    piece_of_entity: float = NO_MODEL
    depth: int | None = None
    reranked: float = 0.0

    @classmethod
    def of(cls, held: Sequence[Held], live: Sequence[np.ndarray], piece: float, merge: int) -> Self:
        """Of parts with their (entities,) bool that are still there, and layers of merged views."""
        there = [part.tokens[rows] for part, rows in zip(held, live, strict=True)]
        tokens = np.sort(np.concatenate([np.zeros(0, np.float32), *there]))[::-1]
        most = np.cumsum(np.concatenate([[0.0], tokens]))
        totals = np.array([(0, 0, 0), *(part[1:] for part in held)]).sum(axis=0).tolist()
        return cls(len(tokens), most, *totals, piece, piece * (1 + merge))

    def candidates(self, k: int) -> float:
        """The cost of the k most expensive candidates."""
        k = min(self.depth or k, self.entities)
        return float(self.most[k]) + k * self.reranked

    def comparing(self, read: int) -> float:
        """Of comparing a mention of so many word pieces with all names and vectors."""
        by_letters = read * self.letters / PIECES_BY_LETTERS
        return by_letters + self.numbers / NUMBERS_COMPARED

    @property
    def narrowing(self) -> float:
        """Of looking through the other columns and the names of all entities."""
        return self.values / VALUES_NARROWED + self.letters / BYTES_NARROWED

    def answer(self, mention: Mention, k: int = 0) -> int:
        """About how much the k candidates of an answer take, or without any the scores of one."""
        near = mention.left[-NEAR:], mention.text[:NEAR], mention.right[:NEAR]
        read = min(2 + sum(map(pieces, near)), LONGEST)
        each = self.piece + self.entities / ENTITIES_A_TOKEN
        named = min(pieces(near[1]), LONGEST)
        return round(read * each + self.comparing(named) + (self.candidates(k) if k else 0))

    def answers(self, mentions: Sequence[Mention], k: int, narrowed: bool) -> list[int]:
        """The same of each of some mentions; what they share is the first one's."""
        tokens = [self.answer(mention, k) for mention in mentions]
        further = len({mention.world for mention in mentions}) - 1
        tokens[0] += round((WORLD + self.narrowing) * further)
        tokens[0] += round(self.entities / ENTITIES_NARROWED + self.narrowing) if narrowed else 0
        return tokens

    def explanation(self, mention: Mention, entity: Entity) -> int:
        """About how much it takes to explain a score of an entity, view by view."""
        views = len(entity.description) / CHARACTERS_EXPLAINED
        views += len(entity.aliases) / ALIASES_EXPLAINED
        return self.answer(mention, 1) + round(views * self.piece_of_entity / self.piece)

    def change(self, entity: Entity) -> int:
        """About how much it takes to bring in an entity."""
        title, views = pieces(entity.title), len(sentence_spans(clean(entity.description)))
        read = sum(map(pieces, [entity.title, *entity.aliases, entity.description]))
        return round((read + views * min(TITLE + title, VIEW)) * self.piece_of_entity)


def _bytes(texts: pa.Array) -> np.ndarray:
    """(texts,) int64 their sizes."""
    return pc.fill_null(pc.binary_length(texts), 0).to_numpy().astype(np.int64)


def _in_lists(lists: pa.Array, sizes: np.ndarray) -> np.ndarray:
    """(rows,) int64 sums of the sizes of what is in each list."""
    return np.diff(np.cumsum([0, *sizes])[lists.offsets.to_numpy()])
