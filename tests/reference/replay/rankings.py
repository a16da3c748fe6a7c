"""Compares rankings: from the recorded scores and end to end."""

import numpy as np

from muver.retriever.retrieval.aggregates import MAX, SoftmaxSum
from muver.retriever.retrieval.exact import rank
from muver.retriever.vectors.shards import ViewBlock
from tests.reference.replay.pipeline import Replay
from tests.reference.replay.recording import MERGING
from tests.reference.replay.tally import Report, Tally
from tests.reference.replay.vectors import merged_otherwise

AGGREGATES = ("max", "accumulate")
# The released code sorts float32 probabilities: those that round to the same number are tied, as
# are all that are too small for a normal number (e^-87 of the best).
ROUNDING = 2.0**-20
SMALLEST = -np.log(np.finfo(np.float32).tiny)


def compare_rankings(replay: Replay, report: Report) -> None:
    """Compare both aggregates without merging and after 1 and 4 layers.

    A difference in rank is excused only if the recorded scores of the expected and the found entity
    are equal within float noise. The score is that of the best view, or the logarithm of the sum of
    probabilities. Noise is ``ROUNDING`` for rankings from the recorded scores, and end to end
    sqrt(d) * 2^-24 * |greatest score|, the rounding error of a float32 dot product of d terms.
    Entities whose merging had a tie and chose otherwise are left out of both lists and counted as
    excused.
    """
    recording, candidate_of = replay.recording, replay.candidate_of
    contexts = replay.context_vectors
    for merging, layers in MERGING.items():
        scores = recording.arrays[f"scores_{merging}"]
        owners = recording.arrays[f"view_entity_{merging}"]
        # With unit vectors as mentions, the dot products are the recorded scores themselves.
        axes = np.eye(len(scores), dtype=np.float32)
        columns = np.ascontiguousarray(scores.T, dtype=np.float32)
        recorded = ViewBlock.of([columns], owners, candidate_of)
        rounding = np.full(len(scores), ROUNDING)
        noise = np.sqrt(contexts.shape[1]) * 2.0**-24 * np.abs(scores).max(axis=1)
        tied = {int(candidate_of[entity]) for entity in merged_otherwise(replay, merging)}
        for name in AGGREGATES:
            wanted = candidate_of[np.array(recording.ranks["ranks"][f"{merging}/{name}"])]
            k = wanted.shape[1]
            aggregate = MAX if name == "max" else SoftmaxSum(softmax_candidates=k)
            truth = np.full((len(scores), len(candidate_of)), np.nan)
            truth[:, np.unique(candidate_of)] = entity_scores(scores, recorded, name, k)
            for start, vectors, index, allowed, left_out in (
                ("from recorded scores", axes, recorded, rounding, set()),
                ("end to end", contexts, replay.index(layers, candidate_of), noise, tied),
            ):
                found = candidate_of[rank(vectors, [index], k, aggregate).entities]
                tally = report[f"ranking {merging}/{name}, {start}"]
                _compare(tally, wanted, found, truth, allowed, left_out)


def entity_scores(scores: np.ndarray, index: ViewBlock, aggregate: str, k: int) -> np.ndarray:
    """The score of each candidate by which ``aggregate`` ranks.

    Parameters
    ----------
    scores : (mentions, views)
        Recorded scores; ``index.rows`` maps a view of the index to its column.

    Returns
    -------
    (mentions, candidates) float64: the best view's score, or the logarithm of the unnormalised sum
    of probabilities over the views that the walk to ``k`` titles meets.
    """
    ordered = scores[:, index.rows].astype(np.float64)
    best = np.maximum.reduceat(ordered, index.starts, axis=1)
    greatest = best.max(axis=1, keepdims=True)
    keys = best - greatest
    if aggregate == "accumulate":
        threshold = -np.sort(-best, axis=1)[:, k - 1 : k]
        met = np.where(ordered >= threshold, np.exp(ordered - greatest), 0)
        sums = np.add.reduceat(met, index.starts, axis=1)
        keys = np.maximum(keys, np.log(sums, out=np.full_like(sums, -np.inf), where=sums > 0))
    return np.maximum(keys, -SMALLEST)


def _compare(
    tally: Tally,
    expected: np.ndarray,
    found: np.ndarray,
    keys: np.ndarray,
    noise: np.ndarray,
    left_out: set[int],
) -> None:
    """Compare rank by rank; ``keys`` are the scores (mentions, entities)."""
    for mention, lists in enumerate(zip(expected.tolist(), found.tolist(), strict=True)):
        wanted, ours = ([e for e in some if e not in left_out] for some in lists)
        without = expected.shape[1] - min(len(wanted), len(ours))
        tally.compared += without
        tally.excused += without
        for place, (theirs, own) in enumerate(zip(wanted, ours, strict=False), start=1):
            tied = bool(abs(keys[mention, theirs] - keys[mention, own]) <= noise[mention])
            where = f"mention {mention}, place {place}, entity line"
            tally.equal(where, theirs, own, excused=tied)
