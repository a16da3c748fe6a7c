"""Signals: what of a mention speaks for an entity, each in one module and over one world.

A score is a weighted sum of signals, whose weights are chosen on validation mentions by the rule of
fusion. They lie between about 0 and 1, so that one set of weights serves all worlds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from muver.retriever.retrieval.choice import choose
from muver.retriever.vectors.shards import side_by_side

NGRAM_LENGTHS = (2, 4)  # least and most characters of the n-grams by which names are compared
Rows = Sequence[Mapping[str, Any]]  # mentions or entities as the corpus's tables have them


class Signal(Protocol):
    """How much speaks for each entity of a world."""

    def scores(self, mentions: Rows) -> np.ndarray:
        """Scores of all entities: (mentions, entities) float32."""


TRIED = (0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2)  # of each signal, beside the others' weights
ROUNDS = 5  # at most


class LabelledScores(NamedTuple):
    """What each signal says for mentions of a world whose gold entities are known.

    ``scores`` are (signals, mentions, entities). ``candidate_of``, (entities,), is as in
    :func:`muver.retriever.retrieval.rows.candidates`; ``gold``, (mentions,), are entities.
    ``left_out``, (mentions,), are entities that are no candidates of their mention, or -1.
    """

    scores: np.ndarray
    candidate_of: np.ndarray
    gold: np.ndarray
    left_out: np.ndarray


def choose_weights(labelled: Sequence[LabelledScores], cutoff: int) -> dict[str, Any]:
    """The weights with the most hits at ``cutoff``, found one signal at a time.

    All begin as 1. In each round each signal in turn takes the best of :data:`TRIED`
    (:func:`.choice.choose`: of equal ones that with more hits at 1, then its present weight, then
    the first), until a round changes nothing. Returned as by :func:`.choice.choose`, ``tried``
    with the weights in place of one.
    """
    weights, tried = [1.0] * len(labelled[0].scores), []
    for _ in range(ROUNDS):
        before = list(weights)
        for number in range(len(weights)):
            values = sorted({*TRIED, weights[number]}, key=lambda w: w != weights[number])
            options = [[*weights[:number], value, *weights[number + 1 :]] for value in values]
            options = [w for w in options if any(w)]  # with all weights 0 all entities are equal
            ranks = (np.concatenate([gold_ranks(each, w) for each in labelled]) for w in options)
            choice = choose("weights", options, ranks, cutoff)
            weights, tried = choice["weights"], tried + choice["tried"]
        if weights == before:
            break
    return {**choice, "tried": tried}


def summed(scores: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """The weighted sum of (signals, mentions, entities) scores: (mentions, entities) float32."""
    return np.tensordot(np.asarray(weights, dtype=np.float32), scores, axes=1)


def gold_ranks(labelled: LabelledScores, weights: Sequence[float]) -> np.ndarray:
    """The rank of each mention's gold candidate by the weighted sum, from 1: (mentions,) int64.

    A candidate counts by its best entity. Of equal ones that of the first entity is ahead.
    """
    scores = summed(labelled.scores, weights)
    order, starts = side_by_side(labelled.candidate_of)
    candidates = labelled.candidate_of[order[starts]]
    best = np.maximum.reduceat(scores[:, order], starts, axis=1)
    every = np.arange(len(best))
    away = labelled.left_out >= 0
    own_page = labelled.candidate_of[labelled.left_out[away]]
    best[every[away], np.searchsorted(candidates, own_page)] = -np.inf
    gold = np.searchsorted(candidates, labelled.candidate_of[labelled.gold])
    least = best[every, gold][:, None]
    ahead = (best > least) | ((best == least) & (np.arange(len(candidates)) < gold[:, None]))
    return np.where(np.isfinite(least[:, 0]), ahead.sum(axis=1) + 1, 0)
