"""The signals that rows name, opened from what their stages made."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from muver.retriever.retrieval.layers import SystemViews
from muver.retriever.retrieval.retrieval_settings import ViewsSignal
from muver.retriever.retrieval.signals import Rows, Signal
from muver.retriever.retrieval.signals.characters import Characters
from muver.retriever.retrieval.signals.texts import (
    Text,
    Texts,
    alone,
    asked_of,
    in_context,
    title,
    title_and_text,
    vectors_of,
)
from muver.retriever.retrieval.signals.views import Ranked, Views
from muver.retriever.retrieval.signals.words import Words
from muver.retriever.runs.run import by_mention, read_run

PLAIN = {"words": Words, "characters": Characters}
TEXTS = {  # of a mention and of an entity
    "names": (alone, title),
    "names_text": (alone, title_and_text),
    "context": (in_context, title_and_text),
}


class Catalog:
    """The signals of a run over the mentions of a split, world by world.

    Parameters
    ----------
    of
        Names of :data:`PLAIN` and :data:`TEXTS`, how a row is ranked by views, or "run".
    texts
        What `muver stage encode-texts` wrote; None where no signal reads it.
    views, runs
        Of each row among ``of`` in turn: its store with its merged and global views, or its run.
    """

    def __init__(
        self,
        of: Sequence[str | ViewsSignal],
        texts: Path | None,
        views: Sequence[Path],
        runs: Sequence[Path],
    ):
        self._texts, folders, files = texts, iter(views), iter(runs)
        self._of = [_opened(one, folders, files) for one in of]

    def signals(self, world: str, entities: Rows) -> list[Signal]:
        """The signals over a world; those that compare one text of entities share its vectors."""
        told = {
            text: vectors_of(self._texts, world, text)
            for text in {TEXTS[one][1] for one in self._of if isinstance(one, str) and one in TEXTS}
        }
        return [self._signal(one, world, entities, told) for one in self._of]

    def _signal(
        self, one: Any, world: str, entities: Rows, told: Mapping[Text, np.ndarray]
    ) -> Signal:
        match one:
            case (ViewsSignal() as settings, SystemViews() as views):
                return Views(settings, views, world, len(entities))
            case str() if one in PLAIN:
                return PLAIN[one](entities)
            case str():
                asked, text = TEXTS[one]
                return Texts(asked_of(self._texts, world, asked), told[text])
        return Ranked(one, len(entities))


def _opened(one: str | ViewsSignal, folders: Iterator[Path], runs: Iterator[Path]) -> Any:
    if isinstance(one, ViewsSignal):
        store, *further = (next(folders) for _ in range(1 + len(one.further)))
        return one, SystemViews(one, store, **dict(zip(one.further, further, strict=True)))
    return dict(by_mention(read_run(next(runs)))) if one == "run" else one


def kept_vectors(signals: Sequence[Signal]) -> list[np.ndarray]:
    """The vectors of entities that signals compare, those that several share once."""
    kept = (getattr(signal, "kept", None) for signal in signals)
    return list({id(vectors): vectors for vectors in kept if vectors is not None}.values())
