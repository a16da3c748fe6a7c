"""Lay out texts as token ids: the context of a mention, the views of an entity.

All functions work on lists of ids and know nothing of models. The layouts are those of the
released systems (BLINK's, which MuVER took over, and MuVER's own). ``[CLS]`` and ``[SEP]`` stand
for whatever the tokenizer puts around a text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

Ids = list[int]
Span = tuple[int, int]  # start and end of a part of a text, in characters


@dataclass(frozen=True)
class Markers:
    """Ids of the special pieces in a vocabulary.

    ``bos`` and ``eos`` are what the tokenizer puts before and after a text: BERT's ``[CLS]`` and
    ``[SEP]``, RoBERTa's ``<s>`` and ``</s>``; T5 has no ``bos``.
    """

    pad: int
    bos: tuple[int, ...]
    eos: tuple[int, ...]
    mention_start: int
    mention_end: int
    title_end: int

    @property
    def ids(self) -> Ids:
        """All special pieces."""
        return [*self.bos, *self.eos, self.pad, *self.of_layouts]

    @property
    def of_layouts(self) -> tuple[int, int, int]:
        """What opens and closes a mention, and what closes a title."""
        return self.mention_start, self.mention_end, self.title_end

    @property
    def before_text(self) -> int | None:
        """The piece after which a text begins; None if it begins at the first position."""
        return self.bos[-1] if self.bos else None

    @property
    def around(self) -> int:
        """How many pieces the tokenizer puts around a text."""
        return len(self.bos) + len(self.eos)

    def enclose(self, ids: Ids, max_tokens: int) -> Ids:
        """A text between ``bos`` and ``eos``, cut to ``max_tokens`` with them."""
        return [*self.bos, *ids[: max_tokens - self.around], *self.eos]


class View(NamedTuple):
    """One view of an entity: its ids, and the sentences ``first..last`` that it was made from.

    Sentences are numbered from 0; a view of the title alone has ``first = last = -1``.
    """

    ids: Ids
    first: int
    last: int


def flattened(views: Sequence[Sequence[View]]) -> tuple[list[View], list[int]]:
    """The views of all entities, one entity's after another's, and the entity of each view."""
    flat = [view for of_entity in views for view in of_entity]
    return flat, [entity for entity, of_entity in enumerate(views) for _ in of_entity]


def entity_slices(entities: np.ndarray) -> list[slice]:
    """The slice of each entity's views, given the (views,) entity of each view."""
    starts = np.flatnonzero(np.r_[True, entities[1:] != entities[:-1]]).tolist()
    return [slice(start, stop) for start, stop in pairwise([*starts, len(entities)])]


def context(left: Ids, mention: Ids, right: Ids, markers: Markers, max_tokens: int = 128) -> Ids:
    """Lay out a mention in its context: ``[CLS] left [Ms] mention [Me] right [SEP]``.

    Each side gets half of the room; what one side does not need goes to the other. An empty
    mention has no markers. A mention too long for the sequence is cut but keeps its markers (the
    released code fails there). ``max_tokens`` includes ``[CLS]`` and ``[SEP]``.
    """
    marked: Ids = []
    if mention:
        kept = mention[: max_tokens - markers.around - 2]
        marked = [markers.mention_start, *kept, markers.mention_end]
    left_room = max((max_tokens - len(marked)) // 2 - len(markers.bos), 0)
    right_room = max_tokens - len(marked) - left_room - markers.around
    left_free, right_free = max(left_room - len(left), 0), max(right_room - len(right), 0)
    kept_left = left[max(len(left) - left_room - right_free, 0) :]
    kept_right = right[: right_room + left_free]
    return [*markers.bos, *kept_left, *marked, *kept_right, *markers.eos]


def prefix_view(title: Ids, text: Ids, markers: Markers, max_tokens: int) -> Ids:
    """BLINK's single view: ``[CLS] title [ENT] text [SEP]`` cut to ``max_tokens``."""
    return markers.enclose([*title, markers.title_end, *text], max_tokens)


def head_of(title: Ids, markers: Markers, max_tokens: int, title_room: int) -> Ids:
    """What each view of an entity begins with: its title, cut where no text would fit beside it."""
    content = max_tokens - markers.around
    if title_room and len(title) + 1 >= content:
        title = title[: max(content - 1 - title_room, 0)]
    return [*title, markers.title_end]


def sentence_views(
    title: Ids,
    sentences: Sequence[Ids],
    markers: Markers,
    max_tokens: int = 40,
    min_pieces: int = 6,
    title_room: int = 6,
    split: bool = False,
) -> list[View]:
    """MuVER's views: one a sentence, short sentences joined to the next.

    Sentences gather in a buffer; once it holds ``min_pieces`` pieces it becomes a view
    ``[CLS] title [ENT] buffer [SEP]``, cut to ``max_tokens``. A last buffer that is too short is
    dropped, unless the entity has no other view: then it becomes its only view.

    A title that leaves no room for text is cut so that ``title_room`` pieces of text fit. 0 keeps
    the released code's layout, in which all views of such an entity are equal.

    With ``split`` all text is in a view: what is too long is in several, and none is dropped.
    """
    head = head_of(title, markers, max_tokens, title_room or min_pieces * split)
    room = max_tokens - markers.around - len(head)

    def lay_out(buffer: Ids, first: int, last: int) -> View:
        return View(markers.enclose([*head, *buffer], max_tokens), first, last)

    views: list[View] = []
    buffer: Ids = []
    start = 0
    for number, sentence in enumerate(sentences):
        if not buffer:
            start = number
        buffer.extend(sentence)
        while split and len(buffer) > room:
            views.append(lay_out(buffer[:room], start, number))
            buffer, start = buffer[room:], number
        if len(buffer) >= min_pieces:
            views.append(lay_out(buffer, start, number))
            buffer = []
    if buffer and (split or not views):
        views.append(lay_out(buffer, start, len(sentences) - 1))
    return views or [lay_out([], -1, -1)]


def retitled(view: View, title: Ids, markers: Markers, max_tokens: int) -> View:
    """A view's text under another title, of which at most half a view is kept."""
    ids = view.ids
    text = ids[ids.index(markers.title_end) + 1 :] if markers.title_end in ids else []
    head = [*title[: max_tokens // 2], markers.title_end]
    return view._replace(ids=markers.enclose([*head, *_until(text, *markers.eos)], max_tokens))


def merged_view(views: Sequence[Ids], markers: Markers, max_tokens: int = 512) -> Ids:
    """Concatenate neighbouring views under one title (the union Q' of section 2.3).

    The views are concatenated as they were cut, not their sentences: the first view without its
    ``[SEP]``, then the text that follows the title in each further view. A view whose long title
    left no room for ``[ENT]`` adds nothing (the released code fails there).
    """
    ids = list(_until(views[0], *markers.eos))
    for view in views[1:]:
        if markers.title_end not in view:
            continue
        text = view[view.index(markers.title_end) + 1 :]
        ids.extend(_until(text, *markers.eos, markers.pad))
    return [*ids[: max_tokens - len(markers.eos)], *markers.eos]


def _until(ids: Ids, *stops: int) -> Ids:
    for stop in stops:
        if stop in ids:
            ids = ids[: ids.index(stop)]
    return ids
