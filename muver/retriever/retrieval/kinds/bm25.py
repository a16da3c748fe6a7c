"""BM25: match words of the mention with words of title and description."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from muver.io.typed import Count, Text
from muver.retriever.corpus.texts import split
from muver.retriever.retrieval.retrieval_settings import BM25 as Section
from muver.retriever.retrieval.retrieval_settings import Match, OwnPage

if TYPE_CHECKING:
    import numpy as np

SHORTEST = 2  # letters of a word, as bm25s has it


class Settings(Section, kw_only=True):
    """The section ``bm25``, with the settings that every run has."""

    split: Text
    k: Count
    match: Match
    own_page: OwnPage | UnsetType = UNSET


def retrieve(settings: Settings, run: Path, *, entities: Path, mentions: Path) -> dict[str, Any]:
    """Rank the entities of each mention's world.

    Ties, and mentions that have only unknown words, are decided by the entities' order in the
    world.
    """
    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.rows import RunRows

    rows = RunRows(entities, read_mentions(mentions, settings.split), settings)
    for world in rows.worlds("ranking"):
        documents = [document(entity) for entity in world.entities]
        scorer = BM25(documents, settings.k1, settings.b, settings.method)
        for block in world.blocks():
            scores = scorer.scores([query(mention, settings.query) for mention in block])
            rows.add_scores(world.candidates, [mention["mention_id"] for mention in block], scores)
    rows.write(run)
    return {"counts": None}


class BM25:
    """An index of documents that scores queries against all of them.

    Words are those of two or more characters (:mod:`muver.retriever.corpus.texts`), and in Chinese
    and Japanese of one. A word that stands twice in a query counts twice; a word that no document
    has is ignored. The ``method`` is a variant of the formula, as bm25s names them (Kamphuis et
    al., Which BM25 do you mean?, ECIR 2020, table 1).
    """

    def __init__(
        self,
        documents: Sequence[str],
        k1: float = 1.2,  # saturation of a word's count
        b: float = 0.75,  # how much a document's length matters
        method: str = "lucene",
    ):
        self._documents, self._index = len(documents), None
        words = split(documents, SHORTEST)
        if any(words):  # bm25s cannot index documents without a single word
            # It starts JAX where that is installed, which would take three quarters of a GPU.
            os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
            import bm25s

            self._index = bm25s.BM25(k1=k1, b=b, method=method)
            self._index.index(words, create_empty_token=False, show_progress=False)

    def scores(self, queries: Sequence[str]) -> "np.ndarray":
        """Scores of all documents: (queries, documents) float32, 0 where no word is shared."""
        import numpy as np

        scores = np.zeros((len(queries), self._documents), dtype=np.float32)
        if self._index is not None and queries:
            for row, query in enumerate(split(queries, SHORTEST)):
                scores[row] = self._index.get_scores_from_ids(self._index.get_tokens_ids(query))
        return scores


def document(entity: Mapping[str, Any]) -> str:
    """An entity's title and description."""
    return f"{entity['title']} {entity['text']}"


def query(mention: Mapping[str, Any], kind: str) -> str:
    """The words to look for: those of the mention, or those of its context too."""
    if kind == "mention":
        return mention["mention"]
    return f"{mention['context_left']} {mention['mention']} {mention['context_right']}"
