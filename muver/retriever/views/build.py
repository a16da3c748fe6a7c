"""Lay out views of entities and contexts of mentions as token ids, as a model's settings say."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, Protocol

from muver.io.errors import InputError
from muver.retriever.views.layout import (
    Ids,
    Markers,
    Span,
    View,
    context,
    head_of,
    prefix_view,
    sentence_views,
)
from muver.retriever.views.views_settings import Context, Views

BATCH = 1024
ROOM = 8  # pieces that a prompt must leave for the text, markers included


class Tokenizer(Protocol):
    """What the layouts need of a tokenizer; :class:`encoders.tokens.Pieces` is one.

    ``within`` says that the texts stand within a longer one, after a space.
    """

    markers: Markers

    def ids(self, texts: Sequence[str], within: bool = False) -> list[Ids]: ...

    def offsets(self, text: str) -> list[Span]: ...


def entity_views(
    titles: Sequence[str],
    texts: Sequence[str],
    sentences: Sequence[Sequence[Any]],
    settings: Views,
    tokenizer: Tokenizer,
    types: Sequence[str | None] | None = None,
) -> Iterator[list[View]]:
    """Yield the views of each entity, in order.

    Texts are used by the kinds "prefix" (BLINK) and "tokens" (SOM, where every position of the one
    sequence counts as a view), which give exactly one view; sentences by "sentences". For "prefix"
    the setting ``types`` puts an entity's type, if it has one, before its text.
    """
    for start in range(0, len(titles), BATCH):
        span = slice(start, start + BATCH)
        title_ids = prompted_titles(titles[span], settings, tokenizer)
        if settings.kind == "sentences":
            ids = iter(tokenizer.ids([*chain.from_iterable(sentences[span])], within=True))
            limits = settings.max_tokens, settings.min_pieces, settings.title_room
            split = settings.long_sentences == "split"
            for title, count in zip(title_ids, map(len, sentences[span]), strict=True):
                pieces = list(islice(ids, count))
                yield sentence_views(title, pieces, tokenizer.markers, *limits, split)
        else:
            text_ids = beginnings(texts[span], settings.max_tokens, tokenizer, within=True)
            if types is not None and settings.types:
                type_ids = tokenizer.ids([kind or "" for kind in types[span]], within=True)
                text_ids = [[*a, *b] for a, b in zip(type_ids, text_ids, strict=True)]
            counts = map(len, sentences[span])
            for title, text, count in zip(title_ids, text_ids, counts, strict=True):
                ids = prefix_view(title, text, tokenizer.markers, settings.max_tokens)
                yield [View(ids, 0 if count else -1, count - 1)]


def prompted_titles(titles: Sequence[str], settings: Views, tokenizer: Tokenizer) -> list[Ids]:
    """Word pieces of titles, each after the prompt of the model's ``views`` if it has one."""
    prompt, spaced = _prompt(settings, tokenizer)
    return [[*prompt, *ids] for ids in tokenizer.ids(titles, spaced)]


def mention_contexts(
    left: Sequence[str],
    mentions: Sequence[str],
    right: Sequence[str],
    settings: Context,
    tokenizer: Tokenizer,
) -> list[Ids]:
    """Lay out mentions in their contexts; a prompt stands after what opens a sequence."""
    prompt, spaced = _prompt(settings, tokenizer)
    room, markers = settings.max_tokens - len(prompt), tokenizer.markers
    before = endings(left, room, tokenizer, spaced)
    after = beginnings(right, room, tokenizer, within=True)
    sides = zip(before, tokenizer.ids(mentions, within=True), after, strict=True)
    start = len(markers.bos)
    laid_out = (context(*parts, markers, room) for parts in sides)
    return [[*ids[:start], *prompt, *ids[start:]] for ids in laid_out]


def beginnings(
    texts: Sequence[str], pieces: int, tokenizer: Tokenizer, within: bool = False
) -> list[Ids]:
    """Word pieces from the beginning of each text: all of them, or at least ``pieces``.

    Only the first words of a long text are tokenised, as a word has one piece or more. If some had
    none and too few pieces came out, the whole text is tokenised.
    """
    cut = [" ".join(text.split(" ", pieces)[:pieces]) for text in texts]
    return _enough(texts, cut, pieces, tokenizer, within)


def endings(
    texts: Sequence[str], pieces: int, tokenizer: Tokenizer, within: bool = False
) -> list[Ids]:
    """Word pieces up to the end of each text: all of them, or at least ``pieces``."""
    cut = [" ".join(text.rsplit(" ", pieces)[-pieces:]) for text in texts]
    return _enough(texts, cut, pieces, tokenizer, within)


def _enough(
    whole: Sequence[str], cut: Sequence[str], pieces: int, tokenizer: Tokenizer, within: bool
) -> list[Ids]:
    found = tokenizer.ids(cut, within)
    few = [n for n, ids in enumerate(found) if len(ids) < pieces and cut[n] != whole[n]]
    if few:
        for n, ids in zip(few, tokenizer.ids([whole[n] for n in few], within), strict=True):
            found[n] = ids
    return found


def _prompt(settings: Views | Context, tokenizer: Tokenizer) -> tuple[Ids, bool]:
    """Ids of the prompt, and whether it ends with a space, which belongs to the next word."""
    if not (text := settings.prompt):
        return [], False
    (ids,), limit = tokenizer.ids([text.rstrip()]), settings.max_tokens
    if len(ids) > limit - ROOM:
        raise InputError(
            f"the encoder's prompt {text!r} has {len(ids)} pieces, which leaves too little of "
            f"max_tokens {limit} to the text. Raise it (an index has view_tokens and "
            "context_tokens), or choose another encoder."
        )
    return ids, text != text.rstrip()


MARKS = ("Mn", "Mc", "Me")  # categories of characters that belong to the one before


def whole_views(
    title: Ids, text: str, spans: Sequence[Span], ids: Sequence[Ids], settings: Views,
    tokenizer: Tokenizer,
) -> tuple[list[Span], list[View]]:  # fmt: skip
    """The sentences of an entity, long ones cut into several, and its views, whose ``first`` and
    ``last`` count these.

    ``spans`` are of the sentences in the text, ``ids`` their word pieces. Sentences gather in a
    view until it has ``min_pieces`` and a letter, as far as there is room beside the title; a rest
    without joins the last view if there is room, and is one of its own if not.
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
    used, says = 0, False
    for number, (span, pieces) in enumerate(parts):
        count, last = len(pieces), number == len(parts) - 1
        lettered = any(map(str.isalpha, text[slice(*span)]))
        joins = used < settings.min_pieces or not says
        joins |= last and (count < settings.min_pieces or not lettered)
        if groups and joins and used + count <= room:
            groups[-1].append(number)
            used, says = used + count, says or lettered
        else:
            groups.append([number])
            used, says = count, lettered
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
