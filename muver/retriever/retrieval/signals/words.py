"""The words of a mention in titles and descriptions: BM25, as a share of the mention's best."""

import numpy as np

from muver.retriever.retrieval.kinds.bm25 import BM25, document
from muver.retriever.retrieval.signals import Rows


class Words:
    """BM25's scores of a world's entities, divided by the mention's best one."""

    def __init__(self, entities: Rows, k1: float = 1.2, b: float = 0.75):
        self._scorer = BM25([document(one) for one in entities], k1, b)

    def scores(self, mentions: Rows) -> np.ndarray:
        """Shares of the best score, 0 where no word is shared: (mentions, entities) float32."""
        found = self._scorer.scores([one["mention"] for one in mentions])
        best = found.max(axis=1, keepdims=True, initial=0)
        return np.divide(found, best, out=found, where=best > 0)
