"""Compares rankings: from the recorded scores and end to end."""

import numpy as np

from muver.reference.pipeline import Replay
from muver.reference.recording import MERGING
from muver.reference.report import Report, Tally
from muver.reference.vectors import merged_otherwise
from muver.retrieval.aggregates import MAX, SoftmaxSum
from muver.retrieval.exact import WorldIndex, build_world, rank

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
    recording = replay.recording
    contexts = replay.context_vectors
    greatest = 0.0
    for merging, layers in MERGING.items():
        scores = recording.arrays[f"scores_{merging}"]
        owners = recording.arrays[f"view_entity_{merging}"]
        # With unit vectors as mentions, the dot products are the recorded scores themselves.
        axes = np.eye(len(scores), dtype=np.float32)
        columns = np.ascontiguousarray(scores.T, dtype=np.float32)
        recorded = build_world([columns], owners, replay.candidate_of)
        noise = np.sqrt(contexts.shape[1]) * 2.0**-24 * np.abs(scores).max(axis=1)
        tied = {int(replay.candidate_of[e]) for e in merged_otherwise(replay, merging)}
        for name in AGGREGATES:
            wanted = replay.candidate_of[np.array(recording.ranks["ranks"][f"{merging}/{name}"])]
            truth = entity_scores(scores, recorded, name, wanted.shape[1])
            for start, vectors, index, allowed, left_out in (
                ("from recorded scores", axes, recorded, np.full(len(noise), ROUNDING), set()),
                ("end to end", contexts, replay.index(layers), noise, tied),
            ):
                k = wanted.shape[1]
                aggregate = MAX if name == "max" else SoftmaxSum(softmax_candidates=k)
                found = rank(vectors, index, k, aggregate)
                gap = _compare(
                    replay,
                    report.tally(f"ranking {merging}/{name}, {start}"),
                    wanted,
                    replay.candidate_of[found.entities],
                    truth,
                    allowed,
                    left_out,
                )
                greatest = max(greatest, gap)
    if greatest:
        report.notes.append(
            f"{recording.name}: the recorded scores of entities in excused places differ by at "
            f"most {greatest:.1e}."
        )


def entity_scores(scores: np.ndarray, index: WorldIndex, aggregate: str, k: int) -> np.ndarray:
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
    replay: Replay,
    tally: Tally,
    expected: np.ndarray,
    found: np.ndarray,
    keys: np.ndarray,
    noise: np.ndarray,
    left_out: set[int],
) -> float:
    """Compare rank by rank; return the greatest difference of scores that was excused."""
    column = {int(candidate): n for n, candidate in enumerate(np.unique(replay.candidate_of))}
    greatest = 0.0
    for mention, lists in enumerate(zip(expected.tolist(), found.tolist(), strict=True)):
        wanted, ours = ([e for e in some if e not in left_out] for some in lists)
        without = expected.shape[1] - min(len(wanted), len(ours))
        tally.compared += without
        tally.excused += without
        for place, (theirs, own) in enumerate(zip(wanted, ours, strict=False), start=1):
            row = keys[mention]
            gap = abs(row[column[theirs]] - row[column[own]])
            excused = theirs != own and gap <= noise[mention]
            if excused:
                greatest = max(greatest, gap)
            where = f"{replay.recording.name}, mention {mention}, place {place}, entity line"
            tally.equal(where, theirs, own, excused)
    return greatest
