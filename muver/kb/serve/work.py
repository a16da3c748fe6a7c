"""What an index's worker does: ranks the mentions of many requests at once, and explains scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from muver.kb.index.answer import Answer
from muver.kb.index.entity import Entity
from muver.kb.serve.forms import AskedMention, Explained
from muver.retriever.retrieval.answers import Mention

# About as many characters are a word piece, and a longer context than this is cut.
CHARACTERS_A_TOKEN = 4
LONGEST = 128
Weights = tuple[tuple[str, float], ...]
CHARACTERS_EXPLAINED = 32  # as many of a description take about as long to explain
CANDIDATES_A_TOKEN = 4  # as many take about as long to answer as a word piece to read


def tokens(mentions: Sequence[AskedMention], k: int = 0, further: int = 0) -> int:
    """About how many word pieces models read for some mentions, with what k candidates cost;
    ``further`` are those of a second stage for each mention.
    """
    lengths = (len(one.left) + len(one.mention) + len(one.right) for one in mentions)
    read = sum(min(2 + length // CHARACTERS_A_TOKEN, LONGEST) for length in lengths)
    return read + len(mentions) * (k + CANDIDATES_A_TOKEN * further) // CANDIDATES_A_TOKEN


def tokens_of(description: str) -> int:
    """About as many take as long to read as the views of a description to explain."""
    return len(description) // CHARACTERS_EXPLAINED


def mention_of(asked: AskedMention) -> Mention:
    return Mention(asked.mention, asked.left, asked.right, asked.world, asked.asked)


@dataclass(frozen=True)
class Ranking:
    """Ranks the mentions of some requests in one call, and gives each request its answers, with the
    index's generation when they were begun.
    """

    index: Any
    k: int
    excerpts: bool
    where: tuple[tuple[str, str], ...] = ()
    weights: Weights = ()

    def __call__(self, given: Sequence[Sequence[Mention]]) -> list[tuple[int, list[Answer]]]:
        index = self.index.where(**dict(self.where)) if self.where else self.index
        generation = index.generation
        mentions = [one for mentions in given for one in mentions]
        ranked = index.retrieve(mentions, self.k, self.excerpts, dict(self.weights))
        pairs = zip(mentions, ranked, strict=True)
        found = [Answer.of(*pair, index.threshold) for pair in pairs]
        ends = accumulate(map(len, given), initial=0)
        return [(generation, found[start:end]) for start, end in pairwise(ends)]


@dataclass(frozen=True)
class Explaining:
    """Tells what each signal and view adds to an entity's score for a mention."""

    index: Any
    weights: Weights = ()

    def __call__(self, given: Sequence[tuple[Mention, Entity]]) -> list[Explained]:
        return [self._explained(mention, entity) for mention, entity in given]

    def _explained(self, mention: Mention, entity: Entity) -> Explained:
        told = self.index.explain(mention, entity.id, entity.world, dict(self.weights))
        return Explained(told.signals, told.views, entity=entity)
