"""What ``muver index tune`` learns from labelled mentions: how much each signal counts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.text import counted
from muver.kb.index.calibration import FILE
from muver.kb.index.index import Index
from muver.kb.index.index_settings import Asking, Weights, changed, in_words, read_weights
from muver.kb.index.mentions import Form, Labelled, read_mentions
from muver.kb.index.state import read_state, write_state, writing
from muver.retriever.retrieval.signals import LabelledScores, choose_weights, gold_ranks

FEW = 20  # labels by which nothing is chosen
HELD_OUT = 3  # one of so many tells the gain
DEPTH = 64  # candidates by each signal


class Tuned(NamedTuple):
    """Weights that labels chose, and how often the gold entity of a mention that was held out then
    is the first, or among the first ``cutoff``; ``before`` by the index's own weights.
    """

    weights: Weights
    mentions: int
    cutoff: int
    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def better(self) -> bool:
        return self.after[::-1] > self.before[::-1]


def tune_index(index: Path, mentions: str, *, form: Form | None = None, cutoff: int = 16) -> None:
    """Choose from labelled mentions how much each signal of an index counts.

    Says what is gained.

    Two of three mentions choose, and the third tells whether the index gets these weights.

    Parameters
    ----------
    mentions
        File of mentions with gold entities; - reads standard input.
    form
        The form of the file. By default its ending tells it, or its first line.
    cutoff
        The rank up to which a gold entity counts as found.
    """
    if cutoff < 1:
        raise InputError(f"--cutoff: {cutoff} is not a number of candidates; at least 1 is.")
    opened = Index.open(index, calibrated=False)
    opened.check_changeable()
    tuned = tune(opened, read_mentions(mentions, form), cutoff)
    if tuned is None:
        weights = in_words(opened.weights)
        print(f"{FEW} labels and fewer choose nothing: the weights stay {weights}.")
        return
    print(f"Held out: {counted(tuned.mentions, 'mention')}")
    for what, weights, hits in (
        ("now", opened.weights, tuned.before),
        ("chosen", tuned.weights, tuned.after),
    ):
        first, among = (f"{100 * n / tuned.mentions:.1f}" for n in hits)
        print(f"{what:8}recall@1 {first:>5}  @{cutoff} {among:>5}  {in_words(weights)}")
    if not tuned.better:
        print("Nothing is gained: the weights stay.")
        return
    settle(index, tuned.weights, Asking())


def settle(index: Path, weights: Mapping[str, float], settings: Asking) -> None:
    """Give an index other weights, and settings on which no vector depends, for good."""
    Index.open(index, calibrated=False).check_changeable()
    with writing(index):
        state = read_state(index).asking(settings)
        weights = changed(state.weights, weights)
        write_state(index, replace(state.after(state.segments), weights=weights))
        if (index / FILE).exists():
            (index / FILE).unlink()
            logger.warning("the calibration was of the old choice; calibrate the index again")


def set_index(index: Path, *, weights: str | None = None, settings: Asking | None = None) -> None:
    """Give an index other weights, or another aggregate, without encoding.

    What `muver query` takes for once is chosen for good.

    Parameters
    ----------
    weights
        How much signals count, such as words=1,names=0.
    """
    settle(index, read_weights(weights), settings or Asking())
    logger.info("signals: %s", in_words(read_state(index).weights))


def tune(index: Index, mentions: Iterable[Labelled], cutoff: int = 16) -> Tuned | None:
    """Choose weights by mentions whose gold entity the index has; None by :data:`FEW` and fewer."""
    scores: list[np.ndarray] = []
    left_out = 0
    for group in index.labelled(mentions):
        known = [line for line, there in group if there]
        left_out += len(group) - len(known)
        scores += [index.signal_scores(line.mention, line.gold, DEPTH) for line in known]
    if left_out:
        what = "without a gold entity in the index, and left out: %s"
        logger.warning(what, counted(left_out, "mention"))
    if len(scores) <= FEW:
        return None
    shuffled = [scores[n] for n in np.random.default_rng(0).permutation(len(scores))]
    held = len(scores) // HELD_OUT
    chosen = choose_weights([_labelled(shuffled[held:])], cutoff)["weights"]
    weights = dict(zip(index.weights, map(float, chosen), strict=True))
    rest = _labelled(shuffled[:held])
    before, after = (_hits(rest, list(w.values()), cutoff) for w in (index.weights, weights))
    return Tuned(weights, held, cutoff, before, after)


def _labelled(scores_of: Sequence[np.ndarray]) -> LabelledScores:
    """Mentions side by side, by the (signals, candidates) scores of each, whose last column is the
    gold entity's; one with fewer candidates gets others that score less.
    """
    width = max(s.shape[1] for s in scores_of)
    scores = np.stack([
        np.pad(s, ((0, 0), (width - s.shape[1], 0)), constant_values=s.min() - 1)
        for s in scores_of
    ], axis=1)  # fmt: skip
    mentions = len(scores_of)
    gold, none = np.full(mentions, width - 1), np.full(mentions, -1)
    return LabelledScores(scores.astype(np.float32), np.arange(width), gold, none)


def _hits(labelled: LabelledScores, weights: Sequence[float], cutoff: int) -> tuple[int, int]:
    ranks = gold_ranks(labelled, weights)
    return int((ranks == 1).sum()), int((ranks <= cutoff).sum())
