"""Questions to a retriever and its answers (imports nothing heavy)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from numbers import Integral
from typing import Any

from muver.io.errors import Mistake

NO_VIEW = -1  # layer of a candidate that was found by words alone
SIDES = ("left", "text", "right")  # fields of a mention, in the order of the text


@dataclass(frozen=True)
class Mention:
    """A mention in its text.

    Without a ``world``, an index searches all of its worlds. ``asked`` is what else its line or
    request has, such as an id: it comes back with the answer.
    """

    text: str
    left: str = ""
    right: str = ""
    world: str | None = None
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class Excerpt:
    """The winning sentences as the description has them, and what stands around them."""

    before: str
    winning: str
    after: str


@dataclass(frozen=True)
class Candidate:
    """A ranked entity and the view that won.

    Attributes
    ----------
    score
        The aggregate of the views' similarities.
    layer, first, last
        The winning view: its layer of merging (0 for an original view, -2 for the global view), and
        the sentences it covers.
    text
        These sentences; empty if the view is of the title alone. An index of one's own entities
        cuts them after 2,000 characters.
    world
        The entity's world, within which ``document_id`` is unique.
    probability
        How likely the best candidate is right. None for other candidates, and if the index is not
        calibrated (`muver index calibrate`).
    excerpt
        Where it was asked for.
    further
        The entity's other columns, by name.
    signals
        What each signal gives to the score, by its name (:mod:`muver.kb.index.index_settings`).
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
    excerpt: Excerpt | None = None
    further: Mapping[str, str] = field(default_factory=dict, compare=False)
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ViewPart:
    """A view of a candidate, and what it adds to the score.

    Attributes
    ----------
    similarity
        Similarity of the mention and this view.
    share
        This view's part of the candidate's score
        (:meth:`muver.retriever.retrieval.aggregates.Aggregate.shares`); a candidate's shares have
        the sum 1.
    layer, first, last, text
        As of :class:`Candidate`.
    start, end
        Where the text stands in the description, in characters; None if it does not.
    """

    similarity: float
    share: float
    layer: int
    first: int
    last: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Explanation:
    """What each signal gives to a candidate's score, and what each view of sentences adds to the
    score by views, the greatest share first.
    """

    signals: Mapping[str, float]
    views: Sequence[ViewPart]


def check_number(k: int, what: str) -> None:
    """Refuse what is no number of candidates, with a mistake that begins with ``what``."""
    if not (isinstance(k, Integral) and k >= 1):
        raise Mistake(f"{what}: {k!r} is not a number of candidates; at least 1 is.")


def check_texts(mentions: Sequence[Mention]) -> None:
    """Refuse mentions that are empty or no text, with a Mistake that says which."""
    for (number, mention), side in product(enumerate(mentions), SIDES):
        try:
            written = getattr(mention, side)
            written.encode()
        except (AttributeError, UnicodeEncodeError):  # half of a surrogate pair, of broken bytes
            raise Mistake(f"mention {number}: its {side} is not Unicode text.") from None
        if side == "text" and not written.strip():
            raise Mistake(f"mention {number}: its text is empty.")
