"""Mentions answered one by one: the entity, or that none is right, and the ranked candidates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self, TypeVar

from muver.io.progress import Progress
from muver.retriever.answers import Candidate, Excerpt, Mention

TOGETHER = 256  # mentions that are ranked at a time
M = TypeVar("M")


@dataclass(frozen=True)
class Found:
    """A candidate as the command line, HTTP and Python have it; :class:`muver.Candidate` explains
    its fields.
    """

    rank: int
    id: str
    world: str | None
    title: str
    score: float
    layer: int
    first: int
    last: int
    text: str
    probability: float | None
    excerpt: Excerpt | None
    further: Mapping[str, str]
    signals: Mapping[str, float]

    @classmethod
    def of(cls, rank: int, c: Candidate) -> Self:
        return cls(
            rank, c.document_id, c.world, c.title, c.score, c.layer, c.first, c.last,
            c.text, c.probability, c.excerpt, c.further, c.signals,
        )  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """``answer`` is the id of the best candidate, None for "none of these" or without a candidate;
    ``probability`` is that it is right, and ``none`` whether none of them is likely the one meant,
    both None where the index is not calibrated. ``asked`` is what else the mention came with.
    """

    mention: str
    world: str | None
    asked: Mapping[str, Any]
    answer: str | None
    probability: float | None
    none: bool | None
    candidates: list[Found]

    @classmethod
    def of(cls, mention: Mention, ranked: Sequence[Candidate], threshold: float | None) -> Self:
        best = ranked[0] if ranked else None
        probability = best and best.probability
        unlikely = None not in (threshold, probability) and probability < threshold
        chosen = best.document_id if best and not unlikely else None
        none = None if best is None or threshold is None else unlikely
        found = [Found.of(rank, candidate) for rank, candidate in enumerate(ranked, 1)]
        return cls(mention.text, mention.world, mention.asked, chosen, probability, none, found)


def groups(mentions: Iterable[M]) -> Iterator[list[M]]:
    """Mentions in groups that are ranked together."""
    mentions = iter(mentions)
    while group := list(islice(mentions, TOGETHER)):
        yield group


def followed(mentions: Iterable[M]) -> Iterator[list[M]]:
    """The same, with lines that say how far the ranking is."""
    held = list(mentions)
    progress = Progress("ranking", len(held), "mentions")
    for group in groups(held):
        yield group
        progress.advance(len(group))
    progress.finish()
