"""Where sentences stand in a description, and an excerpt around them."""

from muver.kb.serve.forms import Excerpt

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
