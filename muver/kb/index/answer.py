"""Mentions answered one by one: the entity, or that none is right, and the ranked candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from muver.retriever.answers import Candidate, Excerpt, Mention


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
        candidates = [Found.of(rank, candidate) for rank, candidate in enumerate(ranked, 1)]
        asked = mention.text, mention.world, mention.asked
        return cls(*asked, chosen, probability, none, candidates)
