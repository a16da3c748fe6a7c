"""The signals that rows name, opened from what their stages made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from muver.retriever.retrieval.blocks import Block
from muver.retriever.retrieval.exact import similarity
from muver.retriever.retrieval.kinds.bm25 import BM25, document
from muver.retriever.retrieval.layers import SystemViews
from muver.retriever.retrieval.retrieval_settings import ViewsSignal
from muver.retriever.retrieval.signals import NGRAM_LENGTHS, Rows, Signal
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
from muver.retriever.runs.run import by_mention, read_run
from muver.retriever.vectors.shards import ViewBlock


class Views:
    """A row's scores of all entities of a world, by the views that it ranks by.

    Cosines stay cosines: they are divided by the vectors' lengths. Other scores lie between 0 for
    the mention's worst entity and 1 for its best (:func:`between_0_and_1`).
    """

    def __init__(self, settings: ViewsSignal, views: SystemViews, world: str, entities: int):
        parts, owners, _ = views.world(world)
        self._settings, self._entities, self._aggregate = settings, entities, views.aggregate
        self._block = ViewBlock.of(parts, owners, np.arange(entities))
        self._vectors, self._length = views.mentions.vectors(world), views.length(world)
        self._places = {mention: place for place, mention in enumerate(views.mention_ids(world))}
        self.kept = self._block.vectors  # of entities

    def scores(self, mentions: Rows) -> np.ndarray:
        """The aggregates of views' similarities: (mentions, entities) float32."""
        asked = self._vectors[[self._places[mention["mention_id"]] for mention in mentions]]
        products = similarity(asked, self._block.vectors, self._settings.metric)
        block = Block.of(products, self._block.starts)
        scores = np.full((len(mentions), self._entities), -np.inf, dtype=np.float32)
        entities = self._block.owners[self._block.starts]
        scores[:, entities] = self._aggregate.scores(block, len(entities))
        return scores / self._length if self._settings.cosines else between_0_and_1(scores)


class Ranked:
    """A run's scores as :class:`Views` scales them; 0 for entities that it does not rank.

    ``run`` has the table of candidates of each mention.
    """

    def __init__(self, run: Mapping[str, Any], entities: int):
        self._run, self._entities = run, entities

    def scores(self, mentions: Rows) -> np.ndarray:
        """Scaled scores: (mentions, entities) float32."""
        scores = np.full((len(mentions), self._entities), -np.inf, dtype=np.float32)
        for row, mention in zip(scores, mentions, strict=True):
            if (ranked := self._run.get(mention["mention_id"])) is not None:
                row[ranked["entity"].to_numpy()] = ranked["score"].to_numpy()
        return between_0_and_1(scores)


def between_0_and_1(scores: np.ndarray) -> np.ndarray:
    """Scale each mention's finite scores from 0 to 1; 1 where all are equal, 0 for infinite ones.

    ``scores`` and the result are (mentions, entities).

    >>> between_0_and_1(np.array([[4.0, 3.0, 2.0, -np.inf], [7.0, 7.0, -np.inf, 7.0]])).tolist()
    [[1.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0]]
    """
    there = np.isfinite(scores)
    low = np.min(scores, axis=1, keepdims=True, where=there, initial=np.inf)
    width = np.max(scores, axis=1, keepdims=True, where=there, initial=-np.inf) - low
    scaled = np.ones_like(scores)
    np.divide(scores - low, width, out=scaled, where=there & (width > 0))
    return np.where(there, scaled, 0)


class Words:
    """BM25's scores of a world's entities, divided by the mention's best one."""

    def __init__(self, entities: Rows, k1: float = 1.2, b: float = 0.75):
        self._scorer = BM25([document(entity) for entity in entities], k1, b)

    def scores(self, mentions: Rows) -> np.ndarray:
        """Shares of the best score, 0 where no word is shared: (mentions, entities) float32."""
        scores = self._scorer.scores([mention["mention"] for mention in mentions])
        best = scores.max(axis=1, keepdims=True, initial=0)
        return np.divide(scores, best, out=scores, where=best > 0)


class Characters:
    """Cosines of mentions and titles, as scikit-learn counts and weighs character n-grams.

    An n-gram keeps to a word with a space on each side; letters are lower-cased.
    """

    def __init__(self, entities: Rows):
        from sklearn.feature_extraction.text import TfidfVectorizer

        titles = [entity["title"] for entity in entities]
        self._counter, self._titles = None, len(titles)
        if any(title.strip() for title in titles):  # scikit-learn refuses to know none
            self._counter = TfidfVectorizer(
                analyzer="char_wb", ngram_range=NGRAM_LENGTHS, dtype=np.float32
            )
            self._vectors = self._counter.fit_transform(titles).T.tocsr()

    def scores(self, mentions: Rows) -> np.ndarray:
        """Cosines, 0 where no n-gram is shared: (mentions, entities) float32."""
        if self._counter is None or not mentions:
            return np.zeros((len(mentions), self._titles), dtype=np.float32)
        asked = self._counter.transform([mention["mention"] for mention in mentions])
        return (asked @ self._vectors).toarray()


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
        folders, files = iter(views), iter(runs)
        self._texts, self._open = texts, [_opened(name, texts, folders, files) for name in of]

    def signals(self, world: str, entities: Rows) -> list[Signal]:
        """The signals over a world; those that compare one text of entities share its vectors."""
        vectors = cache(partial(vectors_of, self._texts, world))
        return [over(world, entities, vectors) for over in self._open]


def _opened(
    signal: str | ViewsSignal, texts: Path | None, folders: Iterator[Path], runs: Iterator[Path]
) -> Callable[[str, Rows, Callable[[Text], np.ndarray]], Signal]:
    """What makes a signal over a world, its entities and the vectors of their texts."""
    if isinstance(signal, ViewsSignal):
        store, *further = (next(folders) for _ in range(1 + len(signal.further)))
        views = SystemViews(signal, store, **dict(zip(signal.further, further, strict=True)))
        return lambda world, entities, _: Views(signal, views, world, len(entities))
    if signal == "run":
        run = dict(by_mention(read_run(next(runs))))
        return lambda world, entities, _: Ranked(run, len(entities))
    if signal in PLAIN:
        return lambda world, entities, _: PLAIN[signal](entities)
    asked, text = TEXTS[signal]
    return lambda world, _, vectors: Texts(asked_of(texts, world, asked), vectors(text))


def kept_vectors(signals: Sequence[Signal]) -> list[np.ndarray]:
    """The vectors of entities that signals compare, those that several share once."""
    kept = (getattr(signal, "kept", None) for signal in signals)
    return list({id(vectors): vectors for vectors in kept if vectors is not None}.values())
