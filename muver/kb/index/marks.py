r"""Mentions marked in a text: ``In spring [[the smith]] forged the gate.``

A backslash before brackets makes them plain text: ``\[[`` and ``\]]``. Of several backslashes right
before brackets two stand for one; anywhere else a backslash is itself.
"""

import re
from collections.abc import Iterable, Iterator

from muver.io.errors import InputError
from muver.kb.index.labelled import Labelled, cut

_BRACKETS = re.compile(r"(?<!\\)(\\*)(\[\[|\]\])")
_ESCAPE = r"Write \[[ and \]] for brackets that mark nothing."


def marked(text: str, where: str, first: int | None = None) -> list[Labelled]:
    r"""The marked mentions of a text, in its order; each has the rest of the text as its context.

    Parameters
    ----------
    where
        What the text is called in messages.
    first
        Number of its first line; None where a text is not one of lines.

    >>> [one.mention.text for one in marked(r"[[Anna]] wrote \[[1\]] to [[the smith]].", "text")]
    ['Anna', 'the smith']
    """

    def place(at: int) -> str:
        return where if first is None else f"{where}, line {first + text.count(chr(10), 0, at)}"

    plain, length, done = [], 0, 0
    spans: list[tuple[int, int, str]] = []
    opened: tuple[int, int, int] | None = None  # piece and character of the plain text, and here
    for found in _BRACKETS.finditer(text):
        slashes, brackets = found.groups()
        piece = text[done : found.start()] + "\\" * (len(slashes) // 2)
        if len(slashes) % 2:
            piece += brackets
        plain.append(piece)
        length, done = length + len(piece), found.end()
        if len(slashes) % 2:
            continue
        if brackets == "[[":
            if opened is not None:
                raise InputError(f"{place(found.start())}: a [[ within another. {_ESCAPE}")
            opened = len(plain), length, found.start()
            continue
        if opened is None:
            raise InputError(f"{place(found.start())}: a ]] without its [[. {_ESCAPE}")
        piece, start, at = opened
        if not "".join(plain[piece:]).strip():
            raise InputError(f"{place(at)}: an empty mention, [[]].")
        spans.append((start, length, place(at)))
        opened = None
    if opened is not None:
        raise InputError(f"{place(opened[2])}: a [[ that no ]] closes. {_ESCAPE}")
    whole = "".join([*plain, text[done:]])
    return [Labelled(cut(whole, start, end), told) for start, end, told in spans]


def paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Texts between empty lines, each with the number of its first line."""
    first, held = 0, []
    for number, line in lines:
        if line.strip():
            first = first if held else number
            held.append(line)
        elif held:
            yield first, "\n".join(held)
            held = []
    if held:
        yield first, "\n".join(held)
