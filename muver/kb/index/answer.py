"""Mentions answered one by one: the entity, or that none is right, and the ranked candidates."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from muver.io.records import Record
from muver.retriever.retrieval.answers import Candidate, Mention

TOGETHER = 256  # mentions that are ranked at a time
M = TypeVar("M")


class Searched(Protocol):
    """What a query needs of an index: :class:`muver.kb.index.Index`, :class:`muver.Retriever`."""

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds that can be searched."""
        ...

    @property
    def threshold(self) -> float | None:
        """The least probability of the best candidate with which it is the answer."""
        ...

    def retrieve(self, mentions: Sequence[Mention], k: int = 64) -> list[list[Candidate]]:
        """For each mention its best candidates, best first."""
        ...


class Found(Record):
    """A candidate as JSON has it; :class:`muver.Candidate` explains its fields."""

    id: str
    world: str | None
    title: str
    score: float
    layer: int
    first: int
    last: int
    text: str

    @classmethod
    def of(cls, candidate: Candidate) -> "Found":
        """The form of a candidate."""
        return cls(
            candidate.document_id, candidate.world, candidate.title, candidate.score,
            candidate.layer, candidate.first, candidate.last, candidate.text,
        )  # fmt: skip


class Answer(Record):
    """The answer to a mention.

    Attributes
    ----------
    answer
        Id of the best candidate; None for "none of these", or where there is no candidate.
    probability
        That the best candidate is right; None where the index is not calibrated.
    """

    mention: str
    world: str | None
    answer: str | None
    probability: float | None
    candidates: list[Found]


def answers(
    index: Searched, mentions: Iterable[Mention], k: int
) -> Iterator[tuple[Mention, Answer]]:
    """Answer mentions in their order; :data:`TOGETHER` of them are held at a time."""
    for group in groups(mentions):
        for mention, candidates in zip(group, index.retrieve(group, k), strict=True):
            best = candidates[0] if candidates else None
            yield (
                mention,
                Answer(
                    mention.text,
                    mention.world,
                    best.document_id if best and accepted(best, index.threshold) else None,
                    best.probability if best else None,
                    [Found.of(one) for one in candidates],
                ),
            )


def groups(mentions: Iterable[M]) -> Iterator[list[M]]:
    """Mentions in groups that are ranked together."""
    mentions = iter(mentions)
    while group := list(islice(mentions, TOGETHER)):
        yield group


def accepted(best: Candidate, threshold: float | None) -> bool:
    """Whether the best candidate is the answer, rather than that none is right."""
    return threshold is None or best.probability is None or best.probability >= threshold
