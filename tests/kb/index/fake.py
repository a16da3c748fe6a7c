"""An index that knows a few names: what is asked of one, without a model."""

from difflib import SequenceMatcher

from muver import Candidate
from muver.kb.index.index import Index


class Names:
    """Ranks entities by how much of their title a mention is."""

    answers, checked = Index.answers, Index.checked

    def __init__(self, titles, threshold=None, probability=None, worlds=("sea",)):
        self.titles, self.threshold, self.worlds = titles, threshold, list(worlds)
        self.probability = probability
        self.asked = []  # sizes of the groups

    def retrieve(self, mentions, k=64, excerpts=False, weights=None):
        """The best ``k`` of each mention."""
        self.asked.append(len(mentions))
        return [self._ranked(mention)[:k] for mention in mentions]

    def _ranked(self, mention):
        found = []
        for n, title in enumerate(self.titles):
            score = SequenceMatcher(None, mention.text, title).ratio()
            text = f"{title} is\nan entity. " * 9
            found.append(Candidate(n, f"e{n}", title, score, 0, 0, 0, text * (n > 0), "sea"))
        found.sort(key=lambda one: -one.score)
        if found and self.probability is not None:
            found[0] = Candidate(**{**vars(found[0]), "probability": self.probability})
        return found
