"""From an entity's title, text and sentences to its views, as a model's settings say."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from muver.views.layout import Ids, Markers, View, prefix_view, sentence_views

BATCH = 1024


class Tokenizer(Protocol):
    """What is asked of a tokenizer; :class:`muver.encoders.tokens.WordPieces` is one."""

    markers: Markers

    def ids(self, texts: Sequence[str]) -> list[Ids]: ...


def entity_views(
    titles: Sequence[str],
    texts: Sequence[str],
    sentences: Sequence[Sequence[str]],
    settings: dict[str, Any],
    tokenizer: Tokenizer,
    types: Sequence[str | None] | None = None,
) -> Iterator[list[View]]:
    """Lay out the views of entities, in their order.

    Parameters
    ----------
    titles, texts, sentences
        One item an entity; texts are used by kinds "prefix" and "tokens", sentences by
        "sentences".
    settings
        The model's ``views``: ``kind`` and the arguments of that kind's layout. Kind "prefix" with
        ``types`` true puts an entity's type, where it has one, before its text.
    types
        The entities' types; None where the dataset carries none.

    Yields
    ------
    For each entity its views; kinds "prefix" (BLINK) and "tokens" (SOM, where every position of
    the one sequence counts as a view) give exactly one.
    """
    for start in range(0, len(titles), BATCH):
        span = slice(start, start + BATCH)
        title_ids = tokenizer.ids(titles[span])
        if settings["kind"] == "sentences":
            flat = tokenizer.ids([sentence for some in sentences[span] for sentence in some])
            position = 0
            for title, some in zip(title_ids, sentences[span], strict=True):
                own = flat[position : position + len(some)]
                position += len(some)
                yield sentence_views(
                    title,
                    own,
                    tokenizer.markers,
                    settings["max_tokens"],
                    settings["min_pieces"],
                    settings["title_room"],
                )
        else:
            text_ids = tokenizer.ids(texts[span])
            if types is not None and settings.get("types"):
                type_ids = tokenizer.ids([kind or "" for kind in types[span]])
                text_ids = [[*a, *b] for a, b in zip(type_ids, text_ids, strict=True)]
            for title, text, some in zip(title_ids, text_ids, sentences[span], strict=True):
                ids = prefix_view(title, text, tokenizer.markers, settings["max_tokens"])
                yield [View(ids, 0 if some else -1, len(some) - 1)]
