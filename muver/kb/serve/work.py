"""What the worker does: ranks the mentions of many requests at once, cuts excerpts from the
descriptions, and explains scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from muver.io.errors import Mistake
from muver.kb.index.answer import accepted
from muver.kb.index.entity import Entity
from muver.kb.serve.forms import AskedMention, Excerpt, Explained, Ranked, RankedForMention, View
from muver.retriever.retrieval.answers import Candidate, Mention

# About as many characters are a word piece, and a longer context than this is cut.
CHARACTERS_A_TOKEN = 4
LONGEST = 128
NEAR = 240  # characters of an excerpt on either side
MOST = 1_200  # characters of the winning sentences in it
CANDIDATES_A_TOKEN = 4  # as many take about as long to answer as a word piece to read


def tokens(mentions: Sequence[AskedMention], k: int = 0, further: int = 0) -> int:
    """About how many word pieces models read for some mentions, with what k candidates cost;
    ``further`` are those of a second stage for each mention.
    """
    lengths = (len(one.left) + len(one.mention) + len(one.right) for one in mentions)
    read = sum(min(2 + length // CHARACTERS_A_TOKEN, LONGEST) for length in lengths)
    return read + len(mentions) * (k + CANDIDATES_A_TOKEN * further) // CANDIDATES_A_TOKEN


def mention_of(asked: AskedMention) -> Mention:
    return Mention(asked.mention, asked.left, asked.right, asked.world)


@dataclass(frozen=True)
class Ranking:
    """Ranks the mentions of some requests in one call, and gives each request its answers, with the
    index's generation when they were begun.
    """

    index: Any
    k: int
    excerpts: bool

    def __call__(
        self, given: Sequence[Sequence[Mention]]
    ) -> list[tuple[int, list[RankedForMention]]]:
        generation = self.index.generation
        mentions = [one for mentions in given for one in mentions]
        found = [self._answer(ranked) for ranked in self.index.retrieve(mentions, self.k)]
        ends = accumulate(map(len, given), initial=0)
        return [(generation, found[start:end]) for start, end in pairwise(ends)]

    def _answer(self, ranked: Sequence[Candidate]) -> RankedForMention:
        none = None
        if ranked and (threshold := self.index.threshold) is not None:
            none = not accepted(ranked[0], threshold)
        return RankedForMention([self._ranked(n, one) for n, one in enumerate(ranked, 1)], none)

    def _ranked(self, rank: int, one: Candidate) -> Ranked:
        own = None
        if self.excerpts:
            try:
                text = self.index.entity(one.document_id, one.world).description
            except Mistake:  # removed since it was found
                text = ""
            own = excerpt(text, one.text)
        return Ranked.of(one, rank=rank, probability=one.probability, excerpt=own)


@dataclass(frozen=True)
class Explaining:
    """Tells what each view of an entity adds to its score for a mention, one after another."""

    index: Any

    def __call__(self, given: Sequence[tuple[Mention, Entity]]) -> list[Explained]:
        return [Explained(entity, list(self._views(mention, entity))) for mention, entity in given]

    def _views(self, mention: Mention, entity: Entity):
        if not self.index.has_views:
            return
        asked = Candidate(-1, entity.id, entity.title, 0.0, 0, 0, 0, "", entity.world)
        for part in self.index.parts(mention, asked):
            start, end = place(entity.description, part.text) or (None, None)
            yield View(**vars(part), start=start, end=end)


def place(description: str, text: str) -> tuple[int, int] | None:
    """Where a text stands in a description, apart from white space; None where it does not.

    >>> place("A gate.  It was\\nforged.", "It was forged.")
    (9, 23)
    """
    wanted = "".join(text.split())
    at = "".join(description.split()).find(wanted)
    if at < 0 or not wanted:
        return None
    letters = [n for n, letter in enumerate(description) if not letter.isspace()]
    return letters[at], letters[at + len(wanted) - 1] + 1


def excerpt(description: str, text: str) -> Excerpt:
    """The text as the description has it, with its neighbours; the beginning without a text.

    >>> excerpt("A gate.  It was\\nforged.", "It was forged.").before
    'A gate.  '
    """
    start, end = place(description, text) or (0, 0)
    winning = description[start:end]
    if len(winning) > MOST:
        winning, end = f"{winning[:MOST]}\N{HORIZONTAL ELLIPSIS}", len(description)
    before = _first(description[:start][::-1])[::-1]
    return Excerpt(before, winning, _first(description[end:]))


def _first(text: str) -> str:
    if len(text) <= NEAR:
        return text
    return f"{text[: text.rfind(' ', 0, NEAR) + 1 or NEAR]}\N{HORIZONTAL ELLIPSIS}"
