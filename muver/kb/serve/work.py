"""What the worker does: ranks the mentions of many requests at once, and explains scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from muver.kb.index.answer import accepted
from muver.kb.serve.forms import AskedMention, Entity, Explained, Found, FoundForMention, View
from muver.kb.serve.places import excerpt, place
from muver.retriever.retrieval.answers import Candidate, Mention

# About as many characters are a word piece, and a longer context than this is cut.
CHARACTERS_A_TOKEN = 4
LONGEST = 128
CANDIDATES_A_TOKEN = 4  # as many take about as long to answer as a word piece to read


def tokens(mentions: Sequence[AskedMention], k: int = 0) -> int:
    """About how many word pieces a model reads for some mentions, with what k candidates cost."""
    lengths = (len(one.left) + len(one.mention) + len(one.right) for one in mentions)
    read = sum(min(2 + length // CHARACTERS_A_TOKEN, LONGEST) for length in lengths)
    return read + len(mentions) * k // CANDIDATES_A_TOKEN


def mention_of(asked: AskedMention) -> Mention:
    """A mention as the index takes it."""
    return Mention(asked.mention, asked.left, asked.right, asked.world)


class Ranked(NamedTuple):
    """Answers, and the index's generation when they were begun."""

    generation: int
    results: list[FoundForMention]


@dataclass(frozen=True)
class Ranking:
    """Ranks the mentions of requests; ``excerpts`` as :class:`muver.kb.serve.forms.Retrieval`."""

    index: Any
    k: int
    excerpts: bool

    def __call__(self, given: Sequence[Sequence[Mention]]) -> list[Ranked]:
        """Rank all mentions in one call, and give each request its answers."""
        generation = self.index.generation
        mentions = [one for mentions in given for one in mentions]
        found = [self._answer(ranked) for ranked in self.index.retrieve(mentions, self.k)]
        ends = accumulate(map(len, given), initial=0)
        return [Ranked(generation, found[start:end]) for start, end in pairwise(ends)]

    def _answer(self, ranked: Sequence[Candidate]) -> FoundForMention:
        candidates = [self._found(n, one) for n, one in enumerate(ranked, start=1)]
        best, threshold = next(iter(ranked), None), self.index.threshold
        none = not accepted(best, threshold) if best and threshold is not None else None
        return FoundForMention(candidates=candidates, none=none)

    def _found(self, rank: int, one: Candidate) -> Found:
        own = None
        if self.excerpts:
            own = excerpt(self.index.entity(one.document_id, one.world).description, one.text)
        return Found(
            rank=rank, id=one.document_id, title=one.title, world=one.world, score=one.score,
            probability=one.probability, layer=one.layer, first=one.first, last=one.last,
            text=one.text, excerpt=own,
        )  # fmt: skip


@dataclass(frozen=True)
class Explaining:
    """Tells what each view of an entity adds to its score for a mention."""

    index: Any

    def __call__(self, given: Sequence[tuple[Mention, Any]]) -> list[Explained]:
        """For mentions and entities, one after another."""
        return [self._explained(*one) for one in given]

    def _explained(self, mention: Mention, entity: Any) -> Explained:
        views = []
        if not self.index.has_views:
            return Explained(entity=Entity.of(entity), views=[])
        asked = Candidate(-1, entity.id, entity.title, 0.0, 0, 0, 0, "", entity.world)
        for part in self.index.parts(mention, asked):
            start, end = place(entity.description, part.text) or (None, None)
            views.append(View(**vars(part), start=start, end=end))
        return Explained(entity=Entity.of(entity), views=views)
