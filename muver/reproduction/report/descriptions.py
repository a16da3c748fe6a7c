"""Descriptions cut to what a page can hold: the views that won first, then from the beginning."""

import itertools
from collections.abc import Iterable, Sequence

STEPS = (8000, 4000, 2000, 1200, 800, 500, 300)  # characters an entity, tried in turn
MARK = " \u2026"  # stands where a sentence was cut
LEAST = 40  # characters of a sentence that is kept


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


def shorten(sentences: Sequence[str], needed: Iterable[int], limit: int | None) -> list[str | int]:
    """The sentences that fit, in their order, with the number of those left out between them.

    Those with numbers in ``needed``, of views that won, must be there; each is cut if there is no
    room for it. ``limit`` is how many characters to keep; None keeps everything.

    >>> shorten(["One.", "Two.", "Three.", "Four."], [2], 10)
    [2, 'Three.', 1]
    """
    if limit is None or sum(map(len, sentences)) <= limit:
        return list(sentences)
    must = [number for number in sorted(set(needed)) if 0 <= number < len(sentences)]
    others = [number for number in range(len(sentences)) if number not in must]
    kept: dict[int, str] = {}
    room = limit
    for place, number in enumerate([*must, *others]):
        left = len(must) - place
        if left <= 0 and kept and room < LEAST:
            break
        sentence, most = sentences[number], max(room // max(left, 1), LEAST)
        kept[number] = sentence if len(sentence) <= most else sentence[:most].rstrip() + MARK
        room -= len(kept[number])
    out: list[str | int] = []
    for inside, numbers in itertools.groupby(range(len(sentences)), kept.__contains__):
        run = [*numbers]
        out += [kept[number] for number in run] if inside else [len(run)]
    return out
