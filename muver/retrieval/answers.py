"""What is asked of a retriever, and what it answers (imports nothing heavy)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from muver.io.errors import Mistake

NO_VIEW = -1  # layer of a candidate that words alone have found
SIDES = ("left", "text", "right")  # of a mention, in the order of the text


@dataclass(frozen=True)
class Mention:
    """A mention in its text.

    Without a ``world`` an index of one's own searches all of them; that of a row has to have one
    world only.
    """

    text: str
    left: str = ""
    right: str = ""
    world: str | None = None


@dataclass(frozen=True)
class Candidate:
    """A ranked entity and the view that won.

    Attributes
    ----------
    score
        As the system's aggregate makes it of the views' similarities.
    layer, first, last
        The winning view: 0 for an original one, the layer of merging that made it, -2 for the
        global view, -3 for a span of sentences; and the sentences it covers.
    text
        These sentences; empty where the view is of the title alone.
    world
        The entity's; ``document_id`` is unique within it.
    probability
        Of the best candidate: that it is right. None of others, and where the index is not
        calibrated (`muver index calibrate`).
    """

    entity: int
    document_id: str
    title: str
    score: float
    layer: int
    first: int
    last: int
    text: str
    world: str | None = None
    probability: float | None = None


@dataclass(frozen=True)
class ViewPart:
    """A view of a candidate, and what it adds.

    Attributes
    ----------
    similarity
        Of the mention and this view.
    share
        The part of the candidate's score that is this view's
        (:meth:`muver.retrieval.aggregates.Aggregate.shares`); a candidate's shares have the sum 1.
    layer, first, last, text
        As of :class:`Candidate`.
    """

    similarity: float
    share: float
    layer: int
    first: int
    last: int
    text: str


def check_texts(mentions: Sequence[Mention]) -> None:
    """Refuse mentions whose sides are no text, with a Mistake that says which."""
    for (number, mention), side in product(enumerate(mentions), SIDES):
        if not isinstance(given := getattr(mention, side), str):
            raise Mistake(f"mention {number}: its {side} is {given!r}, expected text.")
        try:
            given.encode()
        except UnicodeEncodeError as error:  # half of a character: bytes that were no UTF-8
            raise Mistake(
                f"mention {number}: its {side} is not Unicode text (character {error.start})."
            ) from None
