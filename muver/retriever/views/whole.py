"""Views that read all of a description: long sentences are cut into several, none is cut off."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Protocol

from muver.retriever.views.boundaries import Span
from muver.retriever.views.layout import Ids, Markers, View, head_of
from muver.retriever.views.views_settings import Views

MARKS = ("Mn", "Mc", "Me")  # categories of characters that belong to the one before


class Tokenizer(Protocol):
    """What is needed of :class:`muver.retriever.encoders.tokens.Pieces`."""

    markers: Markers

    def ids(self, texts: Sequence[str], within: bool = False) -> list[Ids]: ...

    def offsets(self, text: str) -> list[Span]: ...


def whole_views(
    title: Ids, text: str, spans: Sequence[Span], ids: Sequence[Ids], settings: Views,
    tokenizer: Tokenizer,
) -> tuple[list[Span], list[View]]:  # fmt: skip
    """The sentences of an entity, long ones cut into several, and its views, whose ``first`` and
    ``last`` count these.

    ``spans`` are of the sentences in the text, ``ids`` their word pieces. Sentences gather in a
    view until it has ``min_pieces``, as far as there is room beside the title; a short rest joins
    the last view if there is room, and is one of its own if not.
    """
    markers = tokenizer.markers
    title_room = settings.title_room or settings.min_pieces  # as released, 0
    head = head_of(title, markers, settings.max_tokens, title_room)
    room = settings.max_tokens - markers.around - len(head)
    parts = [
        part
        for span, pieces in zip(spans, ids, strict=True)
        for part in _cut(text, span, pieces, room, tokenizer)
    ]
    groups: list[list[int]] = []
    used = 0
    for number, (_, pieces) in enumerate(parts):
        count, last = len(pieces), number == len(parts) - 1
        joins = used < settings.min_pieces or (last and count < settings.min_pieces)
        if groups and joins and used + count <= room:
            groups[-1].append(number)
            used += count
        else:
            groups.append([number])
            used = count
    views = [
        View(
            markers.enclose([*head, *(n for part in group for n in parts[part][1])],
                            settings.max_tokens),
            group[0], group[-1],
        )
        for group in groups
    ]  # fmt: skip
    alone = View(markers.enclose(head, settings.max_tokens), -1, -1)
    return [span for span, _ in parts], views or [alone]


def _cut(
    text: str, span: Span, ids: Ids, room: int, tokenizer: Tokenizer
) -> Iterator[tuple[Span, Ids]]:
    """A sentence in parts of at most ``room`` pieces, cut between words if these are short."""
    if len(ids) <= room:
        yield span, ids
        return
    sentence = text[slice(*span)]
    places = tokenizer.offsets(sentence)
    first = start = 0
    while first < len(ids):
        stop = _end(sentence, places, first, room)
        end = max(places[stop][0], start + 1) if stop < len(places) else len(sentence)
        part = sentence[start:end]
        skipped = len(part) - len(part.lstrip())
        yield (span[0] + start + skipped, span[0] + start + len(part.rstrip())), ids[first:stop]
        first, start = stop, end


def _end(sentence: str, places: Sequence[Span], first: int, room: int) -> int:
    """The piece before which a part ends: one that begins a word, or at least a character."""
    most = first + room
    if most >= len(places):
        return len(places)
    for begins in (_begins_word, _begins_character):
        for number in range(most, first + room // 2, -1):
            if begins(sentence, places, number):
                return number
    return most


def _begins_word(sentence: str, places: Sequence[Span], number: int) -> bool:
    at = places[number][0]
    return places[number - 1][1] < at or sentence[at].isspace()


def _begins_character(sentence: str, places: Sequence[Span], number: int) -> bool:
    at = places[number][0]
    return places[number - 1][1] <= at and unicodedata.category(sentence[at]) not in MARKS
