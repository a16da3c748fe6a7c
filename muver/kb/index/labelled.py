"""A mention that may have a gold entity, and where it was read."""

from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from muver.retriever.retrieval.answers import Mention

CONTEXT = 4_000  # characters of a running text that a mention keeps on each side


@dataclass(frozen=True)
class Labelled:
    """A mention, as a file has it.

    Attributes
    ----------
    place
        File and line, for messages.
    gold
        Id of its entity; None where no entity is right; UNSET where the file does not say.
    """

    mention: Mention
    place: str
    gold: str | None | UnsetType = UNSET


def cut(text: str, start: int, end: int) -> Mention:
    """The mention of characters ``start <= c < end`` of a text, with what stands beside it."""
    return Mention(
        text[start:end], text[max(start - CONTEXT, 0) : start], text[end : end + CONTEXT]
    )
