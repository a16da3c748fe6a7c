"""The signals that rows name."""

from collections.abc import Sequence

from muver.retriever.retrieval.signals import Rows, Signal
from muver.retriever.retrieval.signals.characters import Characters
from muver.retriever.retrieval.signals.texts import (
    Encode,
    Texts,
    alone,
    in_context,
    title,
    title_and_text,
)
from muver.retriever.retrieval.signals.words import Words

PLAIN = {"words": Words, "characters": Characters}
TEXTS = {  # of a mention and of an entity
    "names": (alone, title),
    "names_text": (alone, title_and_text),
    "context": (in_context, title_and_text),
}


def signals_of(names: Sequence[str], entities: Rows, encode: Encode) -> list[Signal]:
    """The signals of these names over a world; each text of an entity is encoded once."""
    texts = dict.fromkeys(TEXTS[name][1] for name in names if name in TEXTS)
    told = {text: encode([text(one) for one in entities]) for text in texts}
    found: list[Signal] = []
    for name in names:
        if name in PLAIN:
            found.append(PLAIN[name](entities))
        else:
            asked, text = TEXTS[name]
            found.append(Texts(told[text], encode, asked))
    return found
