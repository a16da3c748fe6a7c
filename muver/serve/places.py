"""Where sentences stand in a description, and an excerpt around them."""

import re

from muver.serve.forms import Excerpt

NEAR = 240  # characters of an excerpt on either side
MOST = 1_200  # characters of the winning sentences in it


def place(description: str, text: str) -> tuple[int, int] | None:
    """Where a text stands in a description, apart from white space; None where it does not.

    >>> place("A gate.  It was\\nforged.", "It was forged.")
    (9, 23)
    """
    wanted = "".join(text.split())
    at = "".join(description.split()).find(wanted)
    if at < 0 or not wanted:
        return None
    return _nth_letter(description, at), _nth_letter(description, at + len(wanted) - 1) + 1


def _nth_letter(text: str, n: int) -> int:
    """Where the letter stands before which a text has ``n`` others that are no white space."""
    for word in re.finditer(r"\S+", text):
        if n < len(word[0]):
            return word.start() + n
        n -= len(word[0])
    raise IndexError(n)


def excerpt(description: str, text: str) -> Excerpt:
    """The text as the description has it, with its neighbours; the beginning without a text.

    >>> excerpt("A gate.  It was\\nforged.", "It was forged.").before
    'A gate.  '
    """
    start, end = place(description, text) or (0, 0)
    winning = description[start:end]
    if len(winning) > MOST:
        winning, end = f"{winning[:MOST]}\N{HORIZONTAL ELLIPSIS}", len(description)
    return Excerpt(
        before=_last(description[:start]), winning=winning, after=_first(description[end:])
    )


def _first(text: str) -> str:
    if len(text) <= NEAR:
        return text
    return f"{text[: text.rfind(' ', 0, NEAR) + 1 or NEAR]}\N{HORIZONTAL ELLIPSIS}"


def _last(text: str) -> str:
    if len(text) <= NEAR:
        return text
    start = text.find(" ", len(text) - NEAR)
    return f"\N{HORIZONTAL ELLIPSIS}{text[start if start >= 0 else -NEAR :]}"
