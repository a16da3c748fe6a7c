"""What an index's answers cost, in tokens, by what the index holds.

A token is the time in which all-MiniLM-L6-v2 reads a word piece: a third of a millisecond of a
core.
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

NO_MODEL = 0.4  # what a word piece costs where it is only looked up
# How many of each cost one token:
NUMBERS_COMPARED = 1_000_000  # numbers in the vectors that a mention is multiplied with
NUMBERS_SUMMED = 40_000  # numbers in a candidate's vectors, compared in double precision
BYTES = 100_000  # bytes of a candidate's texts; those that answers show count twice
VALUES = 150  # values of a candidate's other columns
PIECES_BY_LETTERS = 2_000_000  # word pieces of a mention times letters of all names
CHARACTERS_EXPLAINED = 200  # characters of a description whose views are explained
ALIASES_EXPLAINED = 8  # aliases under which a view is explained
ENTITIES_A_TOKEN = 100_000  # entities among which a word is looked up
# And where answers are narrowed, by other columns or to a world:
ENTITIES_NARROWED = 60  # entities that are looked through
VALUES_NARROWED, BYTES_NARROWED = 450, 10_000  # values of all other columns, bytes of all names
WORLD = 30  # what each further world costs
VIEW, TITLE = 40, 4  # word pieces of a view at most, and those in it beside title and sentence
# Matches about as often as a text has word pieces at most, in any language: three letters without
# accents, or any other character, are taken for one.
PIECE = re.compile(r"[A-Za-z]{1,3}|\w|[^\w\s]")
# Word pieces of a mention in its context that are read, and the characters, of it and on each side
# of it, in which they are counted.
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

    ``entities`` is their number; ``numbers``, ``letters`` and ``values`` are the sums of those that
    :class:`Held` counts. ``most[k]`` is the cost of the k most expensive candidates together,
    (entities + 1,). ``piece`` is the cost of a word piece of a mention, and ``piece_of_entity`` of
    one in an entity that is brought in, whose views may be merged. A second stage costs
    ``reranked`` for each of its ``depth`` candidates, however many are asked for.
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
        """Costs of parts: what each holds, which of its entities, (entities,) bool, are ``live``,
        what a word piece costs, and how many layers of views are merged.
        """
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
        """The cost of comparing a mention of ``read`` word pieces with all names and vectors."""
        by_letters = read * self.letters / PIECES_BY_LETTERS
        return by_letters + self.numbers / NUMBERS_COMPARED

    @property
    def narrowing(self) -> float:
        """The cost of looking through the other columns and the names of all entities."""
        return self.values / VALUES_NARROWED + self.letters / BYTES_NARROWED

    def answer(self, mention: Mention, k: int = 0) -> int:
        """About the cost of an answer with k candidates, or with k = 0 of its scores alone."""
        near = mention.left[-NEAR:], mention.text[:NEAR], mention.right[:NEAR]
        read = min(2 + sum(map(pieces, near)), LONGEST)
        each = self.piece + self.entities / ENTITIES_A_TOKEN
        named = min(pieces(near[1]), LONGEST)
        return round(read * each + self.comparing(named) + (self.candidates(k) if k else 0))

    def answers(self, mentions: Sequence[Mention], k: int, narrowed: bool) -> list[int]:
        """The cost of each mention's answer; what they share is counted for the first."""
        tokens = [self.answer(mention, k) for mention in mentions]
        further = len({mention.world for mention in mentions}) - 1
        tokens[0] += round((WORLD + self.narrowing) * further)
        tokens[0] += round(self.entities / ENTITIES_NARROWED + self.narrowing) if narrowed else 0
        return tokens

    def explanation(self, mention: Mention, entity: Entity) -> int:
        """About the cost of explaining a score of an entity, view by view."""
        views = len(entity.description) / CHARACTERS_EXPLAINED
        views += len(entity.aliases) / ALIASES_EXPLAINED
        return self.answer(mention, 1) + round(views * self.piece_of_entity / self.piece)

    def change(self, entity: Entity) -> int:
        """About the cost of bringing in an entity."""
        title, views = pieces(entity.title), len(sentence_spans(clean(entity.description)))
        read = sum(map(pieces, [entity.title, *entity.aliases, entity.description]))
        return round((read + views * min(TITLE + title, VIEW)) * self.piece_of_entity)


def _bytes(texts: pa.Array) -> np.ndarray:
    """(texts,) int64 their sizes."""
    return pc.fill_null(pc.binary_length(texts), 0).to_numpy().astype(np.int64)


def _in_lists(lists: pa.Array, sizes: np.ndarray) -> np.ndarray:
    """(rows,) int64 sums of the sizes of what is in each list."""
    return np.diff(np.cumsum([0, *sizes])[lists.offsets.to_numpy()])
