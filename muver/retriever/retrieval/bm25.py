"""The BM25 score of documents for a query."""

from collections.abc import Mapping, Sequence
from typing import Any

import bm25s
import numpy as np


class BM25:
    """An index of documents that scores queries against all of them.

    Words are runs of two or more letters, digits or underscores, lower-cased. A word that stands
    twice in a query counts twice; a word that no document has is ignored.

    Parameters
    ----------
    documents : (documents,)
    k1, b
        Saturation of a word's count, and how much a document's length matters.
    method
        Variant of the formula, as bm25s names them.
    stopwords
        None keeps every word; "en" leaves out English function words.

    References
    ----------
    Kamphuis et al., Which BM25 do you mean?, ECIR 2020, table 1.
    """

    def __init__(
        self,
        documents: Sequence[str],
        k1: float = 1.2,
        b: float = 0.75,
        method: str = "lucene",
        stopwords: str | None = None,
    ):
        self._stopwords = stopwords
        self._documents = len(documents)
        words = bm25s.tokenize(
            list(documents), stopwords=stopwords or [], show_progress=False, return_ids=True
        )
        self._index = None
        if words.vocab:  # bm25s cannot index documents without a single word
            self._index = bm25s.BM25(k1=k1, b=b, method=method)
            self._index.index(words, create_empty_token=False, show_progress=False)

    def scores(self, queries: Sequence[str]) -> np.ndarray:
        """Scores of all documents: (queries, documents) float32, 0 where no word is shared."""
        scores = np.zeros((len(queries), self._documents), dtype=np.float32)
        if self._index is None or not queries:
            return scores
        words = bm25s.tokenize(
            list(queries), stopwords=self._stopwords or [], show_progress=False, return_ids=False
        )
        for row, query in enumerate(words):
            scores[row] = self._index.get_scores_from_ids(self._index.get_tokens_ids(query))
        return scores


def document(entity: Mapping[str, Any], tokens: int | None = None) -> str:
    """An entity's title and description; ``tokens`` limits the latter to its first space tokens."""
    text = entity["text"]
    if tokens is not None:
        text = " ".join(text.split(" ")[:tokens])
    return f"{entity['title']} {text}"


def query(mention: Mapping[str, Any], kind: str) -> str:
    """The words to look for: those of the mention, or those of its context too."""
    if kind == "mention":
        return mention["mention"]
    return f"{mention['context_left']} {mention['mention']} {mention['context_right']}"
