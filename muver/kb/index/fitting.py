"""Fitting the probability that the best candidate is right, and the threshold of the decision."""

from typing import NamedTuple

import numpy as np

from muver.kb.index.calibration import Decision, Logistic

FOLDS = 5
PENALTY = 1.0  # on half the sum of the squared weights, as is usual


class Judged(NamedTuple):
    """Mentions for which it is known whether the best candidate is right.

    Attributes
    ----------
    features : (n, features) float64
    right : (n,) bool
        Whether the best candidate is the gold entity.
    linkable : (n,) bool
        Whether there is a gold entity.
    """

    features: np.ndarray
    right: np.ndarray
    linkable: np.ndarray

    def take(self, rows: np.ndarray) -> "Judged":
        """Some of them."""
        return Judged(*(column[rows] for column in self))


def fit(judged: Judged) -> Logistic:
    """The regression that explains ``right``, with a penalty on its weights."""
    from scipy.optimize import minimize

    there = np.ma.masked_invalid(judged.features)
    mean, scale = there.mean(axis=0).filled(0.0), there.std(axis=0).filled(0.0)
    scale[scale == 0] = 1.0  # the same for all: it tells nothing
    standard = np.nan_to_num((judged.features - mean) / scale)
    inputs = np.column_stack([standard, np.ones(len(standard))])
    sign = np.where(judged.right, 1.0, -1.0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margins = sign * (inputs @ weights)
        penalised = np.append(weights[:-1], 0.0)
        value = np.logaddexp(0, -margins).sum() + PENALTY / 2 * (penalised**2).sum()
        wrong = -sign / (1 + np.exp(margins))
        return value, inputs.T @ wrong + PENALTY * penalised

    weights = minimize(loss, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B").x
    return Logistic(mean.tolist(), scale.tolist(), weights[:-1].tolist(), float(weights[-1]))


def threshold(
    probabilities: np.ndarray, judged: Judged, precision: float | None = None
) -> float | None:
    """The least probability with which to answer.

    Parameters
    ----------
    precision
        The least precision of the answers: of the thresholds that reach it, that with the highest
        recall. None: the threshold of the highest F1.

    Returns
    -------
    One of the probabilities; None if no threshold reaches the precision.
    """
    order = np.argsort(-probabilities, kind="stable")
    right = np.cumsum(judged.right[order])
    answered = np.arange(1, len(order) + 1)
    # Mentions of one probability are answered together.
    last = np.append(np.diff(probabilities[order]) != 0, True)
    if precision is None:
        goodness = 2 * right / (answered + judged.linkable.sum())
    else:
        goodness = np.where(right >= precision * answered, right, -1)
    goodness = np.where(last, goodness, -1)
    best = int(np.argmax(goodness))
    return float(probabilities[order[best]]) if goodness[best] >= 0 else None


def decision(answered: np.ndarray, judged: Judged) -> Decision:
    """How good some answers are, of the mentions where ``answered`` is true."""
    right = int((judged.right & answered).sum())
    none = int((~judged.linkable & ~answered).sum())
    return Decision(
        _share(right, answered.sum()),
        _share(right, judged.linkable.sum()),
        _share(2 * right, answered.sum() + judged.linkable.sum()),
        _share(none, (~answered).sum()),
        _share(none, (~judged.linkable).sum()),
    )


def cross_validated(
    judged: Judged, precision: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Decide on each fifth of the mentions by a regression and a threshold from the others.

    Returns
    -------
    probabilities : (n,)
        Of each mention, by a regression that had not seen it.
    answered : (n,) bool
        Whether it is answered, by a threshold chosen without it.
    """
    folds = _folds(judged.right)
    probabilities, answered = np.zeros(len(folds)), np.zeros(len(folds), dtype=bool)
    for fold in range(FOLDS):
        out, others = folds == fold, judged.take(folds != fold)
        regression = fit(others)
        probabilities[out] = regression.probabilities(judged.features[out])
        least = threshold(regression.probabilities(others.features), others, precision)
        answered[out] = least is not None and probabilities[out] >= least
    return probabilities, answered


def _folds(right: np.ndarray) -> np.ndarray:
    """(n,) the fold of each mention, by chance but always the same; in each as many right ones."""
    shuffled = np.random.default_rng(0).permutation(len(right))
    folds = np.empty(len(right), dtype=np.int64)
    folds[shuffled[np.argsort(right[shuffled], kind="stable")]] = np.arange(len(right)) % FOLDS
    return folds


def _share(part: int, whole: int) -> float:
    return float(part / whole) if whole else 0.0
