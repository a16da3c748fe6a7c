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
) -> Iterator[list[View]]:
    """Lay out the views of entities, in their order.

    Parameters
    ----------
    titles, texts, sentences
        One item an entity; texts are used by kinds "prefix" and "tokens", sentences by
        "sentences".
    settings
        The model's ``views``: ``kind`` and the arguments of that kind's layout.

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
            for title, text, some in zip(
                title_ids, tokenizer.ids(texts[span]), sentences[span], strict=True
            ):
                ids = prefix_view(title, text, tokenizer.markers, settings["max_tokens"])
                yield [View(ids, 0 if some else -1, len(some) - 1)]
