"""What ``muver index calibrate`` does: labelled mentions tell how likely an answer is right."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import UNSET

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.progress import logger
from muver.kb.index.answer import checked, groups
from muver.kb.index.calibration import COMPARED, FILE, Calibration, Decision, features
from muver.kb.index.fitting import FOLDS, Judged, cross_validated, decision, fit, threshold
from muver.kb.index.mentions import Labelled, read_mentions

if TYPE_CHECKING:
    from muver.kb.index import Index

LEAST = 2 * FOLDS  # mentions of each sort


def calibrate_index(
    index: Path, mentions: str, form: str | None = None, precision: float | None = None
) -> None:
    """Calibrate an index by a file of labelled mentions, and say how well it then decides.

    Parameters
    ----------
    mentions, form
        As :func:`muver.kb.index.mentions.read_mentions` takes them.
    precision
        As :func:`calibrate` takes it.
    """
    from muver.kb.index import Index

    opened = Index.open(index, calibrated=False)
    made = calibrate(opened, read_mentions(mentions, form), precision)
    print(_report(made), end="")


def calibrate(
    index: "Index", mentions: Iterable[Labelled], precision: float | None = None
) -> Calibration:
    """Fit the probability that the best candidate is right, and the threshold; keep both.

    Parameters
    ----------
    mentions
        With gold entities; among them some that have none.
    precision
        The least precision of the answers; None: the threshold of the highest F1.
    """
    if precision is not None and not 0 < precision <= 1:
        raise InputError(f"--precision {precision}: not a share; expected 0.9 for nine of ten.")
    if not index.worlds:
        raise InputError(f"{index.folder}: has no entities.")
    judged = _judged(index, mentions)
    _check(judged)
    probabilities, answered = cross_validated(judged, precision)
    least = threshold(probabilities, judged, precision)
    if least is None:
        best = max(decision(probabilities >= one, judged).precision for one in probabilities)
        raise InputError(
            f"--precision {precision}: no threshold reaches it; at most {best:.3f} is reached. "
            "Ask for less, or give more mentions."
        )
    made = Calibration(
        fingerprint=index.fingerprint,
        regression=fit(judged),
        threshold=least,
        mentions=len(judged.right),
        linkable=int(judged.linkable.sum()),
        always=decision(np.ones(len(judged.right), dtype=bool), judged),
        decided=decision(answered, judged),
    )
    write_json(index.folder / FILE, made)
    return made


def _judged(index: "Index", mentions: Iterable[Labelled]) -> Judged:
    rows, right, linkable, strangers = [], [], [], []
    for group in groups(checked(mentions, index)):
        found = index.retrieve([one.mention for one in group], COMPARED)
        for one, candidates in zip(group, found, strict=True):
            if one.gold is UNSET:
                raise InputError(
                    f"{one.place}: no gold entity. Calibration needs it of every mention: an id, "
                    "or null where no entity is right."
                )
            there = one.gold is not None and index.has(one.gold, one.mention.world)
            if one.gold is not None and not there:
                strangers.append(one)
            rows.append(features(one.mention, candidates))
            right.append(there and candidates[0].document_id == one.gold)
            linkable.append(there)
    if strangers:
        first = strangers[0]
        logger.warning(
            "%d mentions have a gold entity that is not in the index, and count as having none; "
            "the first: %s, %r", len(strangers), first.place, first.gold,
        )  # fmt: skip
    return Judged(np.array(rows), np.array(right), np.array(linkable))


def _check(judged: Judged) -> None:
    """Refuse mentions from which nothing can be learnt."""
    right, wrong = int(judged.right.sum()), int((~judged.right).sum())
    if min(right, wrong) < LEAST:
        raise InputError(
            f"the best candidate is right for {right} mentions and wrong for {wrong}; at least "
            f"{LEAST} of each are needed. Give more mentions, of both sorts."
        )
    if judged.linkable.all():
        logger.warning(
            "every mention has an entity in the index: the probability will be too high where "
            "mentions without one are asked for. Add some, with null as their gold entity."
        )


def _report(made: Calibration) -> str:
    always, decided = made.always, made.decided
    least = f"answered from {made.threshold:.3f} on"
    return (
        f"{made.mentions} mentions, {made.linkable} of them with an entity in the index. "
        f"In percent, cross-validated in {FOLDS} parts:\n"
        f"{'every mention answered':24}{_shares(always)}\n"
        f"{least:24}{_shares(decided)}\n"
        f"{'none of these':24}precision {decided.none_precision * 100:5.1f}  "
        f"recall {decided.none_recall * 100:5.1f}\n"
    )


def _shares(one: Decision) -> str:
    shares = {"precision": one.precision, "recall": one.recall, "F1": one.f1}
    return "  ".join(f"{name} {share * 100:5.1f}" for name, share in shares.items())
