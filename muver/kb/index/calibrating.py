"""What ``muver index calibrate`` learns from labelled mentions."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.progress import logger
from muver.io.text import counted
from muver.kb.index.calibration import COMPARED, FILE, Calibration, Decision, Logistic, features
from muver.kb.index.index import Index
from muver.kb.index.mentions import Form, Labelled, read_mentions

FOLDS = 5
LEAST = 2 * FOLDS  # mentions whose best candidate is right, and wrong
PENALTY = 1.0  # on half the sum of the squared weights, as is usual


def calibrate_index(
    index: Path, mentions: str, *, form: Form | None = None, precision: float | None = None
) -> None:
    """Find out from labelled mentions how likely answers are right, and when none is.

    Says how well the index then decides.

    Then `muver query` answers 'none of these' where the probability is too low.

    Parameters
    ----------
    mentions
        File of mentions with gold entities, some of them null (none is right); - reads standard
        input.
    form
        The form of the file. By default its ending tells it, or its first line.
    precision
        The share of answers that has to be right, such as 0.9; less sure ones become none of these.
        By default the share that gives the highest F1.
    """
    chosen = calibrate(
        Index.open(index, calibrated=False), read_mentions(mentions, form), precision
    )
    print(
        f"{counted(chosen.mentions, 'mention')}, {chosen.linkable} with an entity in the index. "
        f"Cross-validated in {FOLDS} parts:"
    )
    decided = chosen.decided
    named = {
        "every mention answered": chosen.always,
        f"answered from {chosen.threshold:.3f} on": decided,
    }
    for what, row in named.items():
        print(f"{what:24}precision {row.precision:.1%}  recall {row.recall:.1%}  F1 {row.f1:.1%}")
    precision, recall = decided.none_precision, decided.none_recall
    print(f"{'none of these':24}precision {precision:.1%}  recall {recall:.1%}")


class Judged(NamedTuple):
    """Labelled mentions that have a candidate: their (n, features) float64 features, whether the
    best candidate is ``right``, (n,) bool, and whether the index has their gold entity
    (``linkable``), (n,) bool. ``lost`` further ones have a gold entity but no candidate, so they
    never get an answer.
    """

    features: np.ndarray
    right: np.ndarray
    linkable: np.ndarray
    lost: float = 0

    @property
    def with_entity(self) -> float:
        """How many mentions have their gold entity in the index."""
        return self.linkable.sum() + self.lost


def calibrate(
    index: Index, mentions: Iterable[Labelled], precision: float | None = None
) -> Calibration:
    """Fit the probability that the best candidate is right, and the threshold; keep both.

    Some of the mentions have to have no gold entity. ``precision`` is the share of answers that has
    to be right; None takes the threshold of the highest F1.
    """
    if precision is not None and not 0 < precision <= 1:
        raise InputError(f"--precision {precision}: expected a share, such as 0.9.")
    judged = _judged(index, mentions)
    right, wrong = int(judged.right.sum()), int((~judged.right).sum())
    if min(right, wrong) < LEAST:
        raise InputError(
            f"the best candidate is right for {counted(right, 'mention')} and wrong for {wrong}; "
            f"at least {LEAST} of each are needed. Give more mentions, of both sorts."
        )
    if judged.linkable.all():
        logger.warning(
            "every mention has an entity in the index: the probability will be too high where "
            "mentions without one are asked for. Add some, with null as their gold entity."
        )
    probabilities, answered = cross_validated(judged, precision)
    least = threshold(probabilities, judged, precision)
    if least is None:
        raise InputError(
            f"--precision {precision}: no threshold reaches it. Ask for less, or give more "
            "mentions."
        )
    chosen = Calibration(
        fingerprint=index.fingerprint,
        regression=fit(judged),
        threshold=least,
        mentions=len(judged.right) + judged.lost,
        linkable=int(judged.with_entity),
        always=decision(np.ones(len(judged.right), dtype=bool), judged),
        decided=decision(answered, judged),
    )
    write_json(index.folder / FILE, chosen)
    return chosen


def _judged(index: Index, mentions: Iterable[Labelled]) -> Judged:
    """Answer labelled mentions; warn of those without a candidate, and of unknown gold entities."""
    rows, right, linkable, missing = [], [], [], []  # missing: whose gold the index does not have
    left_out = lost = 0  # without a candidate: without and with a gold entity in the index
    for group in index.labelled(mentions):
        ranked = index.retrieve([line.mention for line, _ in group], COMPARED)
        for (line, there), candidates in zip(group, ranked, strict=True):
            if line.gold is UNSET:
                raise InputError(
                    f"{line.place}: no gold entity. Calibration needs it of every mention: an id, "
                    "or null where no entity is right."
                )
            if not candidates:
                lost += there
                left_out += not there
                continue
            if line.gold is not None and not there:
                missing.append(line)
            rows.append(features(line.mention, candidates))
            right.append(there and candidates[0].document_id == line.gold)
            linkable.append(there)
    if lost or left_out:
        logger.warning(
            "no word shared with any entity: %s. Of those with an entity in the index, which count "
            "as not found, there are %d, of others, which are left out, %d",
            counted(lost + left_out, "mention"), lost, left_out,
        )  # fmt: skip
    if missing:
        first = missing[0]
        logger.warning(
            "gold entities that are not in the index, and count as none: of %s; the first: %s, %r",
            counted(len(missing), "mention"), first.place, first.gold,
        )  # fmt: skip
    return Judged(np.array(rows), np.array(right, bool), np.array(linkable, bool), lost)


def fit(judged: Judged) -> Logistic:
    """The regression that explains ``right``, with a penalty on its weights."""
    from sklearn.linear_model import LogisticRegression

    there = np.ma.masked_invalid(judged.features)
    mean, scale = there.mean(axis=0).filled(0.0), there.std(axis=0).filled(0.0)
    scale[scale == 0] = 1.0  # the same for all: it tells nothing
    standard = np.nan_to_num((judged.features - mean) / scale)
    fitted = LogisticRegression(C=1 / PENALTY, tol=1e-8, max_iter=1000).fit(standard, judged.right)
    weights, bias = fitted.coef_[0].tolist(), float(fitted.intercept_[0])
    return Logistic(mean.tolist(), scale.tolist(), weights, bias)


def threshold(
    probabilities: np.ndarray, judged: Judged, precision: float | None = None
) -> float | None:
    """The least probability with which to answer, one of those given.

    Without a ``precision`` it is the threshold of the highest F1, else of those that reach it the
    one with the highest recall; None if no threshold does.
    """
    order = np.argsort(-probabilities, kind="stable")
    right = np.cumsum(judged.right[order])
    answered = np.arange(1, len(order) + 1)
    # Mentions of one probability are answered together.
    last = np.append(np.diff(probabilities[order]) != 0, True)
    if precision is None:
        goodness = 2 * right / (answered + judged.with_entity)
    else:
        goodness = np.where(right >= precision * answered, right, -1)
    goodness = np.where(last, goodness, -1)
    best = int(np.argmax(goodness))
    return float(probabilities[order[best]]) if goodness[best] >= 0 else None


def decision(answered: np.ndarray, judged: Judged) -> Decision:
    """How good the answers are if those mentions get one where ``answered`` is true."""
    right = int((judged.right & answered).sum())
    none = int((~judged.linkable & ~answered).sum())
    shares = (
        (right, answered.sum()),
        (right, judged.with_entity),
        (2 * right, answered.sum() + judged.with_entity),
        (none, (~answered).sum()),
        (none, (~judged.linkable).sum()),
    )
    return Decision(*(float(part / whole) if whole else 0.0 for part, whole in shares))


def cross_validated(
    judged: Judged, precision: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(n,) probabilities, and (n,) bool whether a mention is answered: each fifth of the mentions
    by a regression and a threshold from the others.
    """
    from sklearn.model_selection import StratifiedKFold

    mentions = len(judged.right)
    probabilities, answered = np.zeros(mentions), np.zeros(mentions, dtype=bool)
    # By chance but always the same; each fold has as many right ones.
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for rest, out in folds.split(judged.features, judged.right):
        lost = judged.lost * len(rest) / mentions
        others = Judged(*(column[rest] for column in judged[:3]), lost)
        regression = fit(others)
        probabilities[out] = regression.probabilities(judged.features[out])
        least = threshold(regression.probabilities(others.features), others, precision)
        answered[out] = least is not None and probabilities[out] >= least
    return probabilities, answered
