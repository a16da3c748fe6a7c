"""The letters of a mention in titles: cosines of TF-IDF vectors of 2 to 4 characters."""

import numpy as np

from muver.retriever.retrieval.signals import Rows

LENGTHS = (2, 4)  # of a run of characters


class Characters:
    """Cosines of mentions and titles, as scikit-learn counts and weighs runs of characters.

    Runs keep to a word with a space on each side; letters are lower-cased.
    """

    def __init__(self, entities: Rows):
        from sklearn.feature_extraction.text import TfidfVectorizer

        titles = [one["title"] for one in entities]
        self._counter, self._titles = None, len(titles)
        if any(title.strip() for title in titles):  # scikit-learn refuses to know none
            self._counter = TfidfVectorizer(
                analyzer="char_wb", ngram_range=LENGTHS, dtype=np.float32
            )
            self._vectors = self._counter.fit_transform(titles).T.tocsr()

    def scores(self, mentions: Rows) -> np.ndarray:
        """Cosines, 0 where no run is shared: (mentions, entities) float32."""
        if self._counter is None or not mentions:
            return np.zeros((len(mentions), self._titles), dtype=np.float32)
        asked = self._counter.transform([one["mention"] for one in mentions])
        return (asked @ self._vectors).toarray()
