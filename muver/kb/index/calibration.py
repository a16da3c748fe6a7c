"""The probability that an index's best candidate is right, and when to answer "none of these"."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from muver.io.errors import InputError
from muver.io.typed import Record, read_record
from muver.retriever.answers import Candidate, Mention

FILE = "calibration.json"
COMPARED = 2  # candidates that tell how likely the best one is right
LONGEST = 200  # characters of a title that are compared


class Logistic(Record):
    """A logistic regression: a feature counts (value - mean) / scale * weight, and one that is
    missing (nan) nothing; the bias is added.
    """

    mean: list[float]
    scale: list[float]
    weights: list[float]
    bias: float

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """(n,) of (n, features)."""
        standard = np.nan_to_num((features - self.mean) / self.scale)
        return 1 / (1 + np.exp(-(standard @ self.weights + self.bias)))


class Decision(Record):
    """How good the decisions between the best candidate and none are.

    Precision is of the mentions that get an answer, recall of those that have an entity; the last
    two are of the answer "none of these".
    """

    precision: float
    recall: float
    f1: float
    none_precision: float
    none_recall: float


class Calibration(Record):
    """Below the ``threshold`` none of the candidates is the answer.

    ``linkable`` of the mentions have an entity in the index. ``always`` is the decision where every
    mention is answered, ``decided`` that with the threshold; both are cross-validated, on mentions
    that neither the regression nor the threshold had seen. The fingerprint is of model and
    settings: entities may change.
    """

    fingerprint: str
    regression: Logistic
    threshold: float
    mentions: int
    linkable: int
    always: Decision
    decided: Decision

    def probability(self, mention: Mention, candidates: Sequence[Candidate]) -> float:
        """That the first of a mention's candidates is right."""
        return float(self.regression.probabilities(features(mention, candidates)[None])[0])


def features(mention: Mention, candidates: Sequence[Candidate]) -> np.ndarray:
    """(features,) that tell how likely the first of a mention's candidates is right.

    The best score and how far the second is below (nan if there is none), both without what an
    equal name gives, how alike mention and best title are, 0 to 1, and whether the best and whether
    the second has an equal name.
    """
    names = [candidate.signals.get("exact", 0.0) for candidate in candidates[:COMPARED]]
    scores = [candidate.score - name for candidate, name in zip(candidates, names, strict=False)]
    margin = scores[0] - scores[1] if len(scores) > 1 else np.nan
    texts = (text[:LONGEST].casefold().strip() for text in (mention.text, candidates[0].title))
    alike = SequenceMatcher(None, *texts, autojunk=False).ratio()
    return np.array([scores[0], margin, alike, names[0] > 0, any(name > 0 for name in names[1:])])


def read_calibration(folder: Path, fingerprint: str) -> Calibration | None:
    """The calibration of an index with this fingerprint; None where there is none."""
    path = folder / FILE
    if not path.exists():
        return None
    again = f"Calibrate again (`muver index calibrate {folder} MENTIONS`), or remove the file."
    read = read_record(path, Calibration, "a calibration", again)
    if read.fingerprint != fingerprint:
        raise InputError(f"{path}: of an index with another model or other settings. {again}")
    return read
