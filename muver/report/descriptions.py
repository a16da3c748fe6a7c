"""Descriptions cut to what a page can hold: the views that won first, then from the beginning."""

from collections.abc import Iterable, Sequence
from typing import Any

STEPS = (8000, 4000, 2000, 1200, 800, 500, 300)  # characters an entity, tried in turn
MARK = " \u2026"  # stands where a sentence was cut


def fit(lengths: Sequence[int], budget: int) -> int | None:
    """How many characters of each description fit into ``budget``; None for all of them.

    >>> fit([100, 900], 1000), fit([100, 900], 999), fit([100, 900, 100], 700)
    (None, 800, 500)
    """
    if sum(lengths) <= budget:
        return None
    for step in STEPS:
        if sum(min(length, step) for length in lengths) <= budget:
            return step
    return STEPS[-1]


def shorten(sentences: Sequence[str], needed: Iterable[int], limit: int | None) -> list[Any]:
    """The sentences that fit, in their order, with the number of those left out between them.

    Parameters
    ----------
    needed
        Numbers of the sentences that must be there, those of views that won; each is cut if
        there is no room for it.
    limit
        Characters to keep; None keeps everything.

    Examples
    --------
    >>> shorten(["One.", "Two.", "Three.", "Four."], [2], 10)
    [2, 'Three.', 1]
    """
    if limit is None or sum(map(len, sentences)) <= limit:
        return list(sentences)
    must = [number for number in sorted(set(needed)) if 0 <= number < len(sentences)]
    kept: dict[int, str] = {}
    room = limit
    for number in must:
        share = max(room // max(len(must) - len(kept), 1), 40)
        kept[number] = _cut(sentences[number], share)
        room -= len(kept[number])
    for number, sentence in enumerate(sentences):
        if number in kept:
            continue
        if room < 40 and kept:
            break
        kept[number] = _cut(sentence, max(room, 40))
        room -= len(kept[number])
    out: list[Any] = []
    for number in range(len(sentences)):
        if number in kept:
            out.append(kept[number])
        elif out and isinstance(out[-1], int):
            out[-1] += 1
        else:
            out.append(1)
    return out


def _cut(sentence: str, room: int) -> str:
    return sentence if len(sentence) <= room else sentence[:room].rstrip() + MARK
