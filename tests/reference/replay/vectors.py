"""Compares embeddings of the recorded token ids, and scores of all mentions with all views."""

import numpy as np

from tests.reference.replay.merging import undecided
from tests.reference.replay.pipeline import Replay
from tests.reference.replay.recording import MERGING
from tests.reference.replay.tally import Report

TOLERANCE = 1e-4


def compare_embeddings(replay: Replay, report: Report) -> None:
    """Encode the recorded ids and compare the vectors, component by component."""
    recording = replay.recording
    report["embeddings of contexts, components"].close(
        [f"mention {mention}" for mention in range(len(replay.contexts))],
        recording.arrays["context"],
        replay.encode_contexts(recording.tokens["contexts"]),
        TOLERANCE,
    )
    recorded = recording.arrays["views"]
    starts = recording.arrays["view_offset"]
    for entity, start in zip(recording.entities, starts, strict=True):
        for layer, views in enumerate(_layers(entity)):
            kind = "merged views" if layer else "views"
            where = f"entity line {entity['line']}, layer {layer}, view"
            report[f"embeddings of {kind}, components"].close(
                [f"{where} {number}" for number in range(len(views))],
                recorded[start : start + len(views)],
                replay.encode_views(views),
                TOLERANCE,
            )
            start += len(views)


def compare_scores(replay: Replay, report: Report) -> None:
    """Compare end-to-end scores: our own token ids, vectors and merging.

    If an entity has another number of views, all its scores count as different. A difference is
    excused if the entity's merging had a tie.
    """
    arrays = replay.recording.arrays
    for merging, layers in MERGING.items():
        owners = arrays[f"view_entity_{merging}"]
        report[f"scores, {merging}"].close(
            [f"view {view}, entity line {owner}, mention" for view, owner in enumerate(owners)],
            arrays[f"scores_{merging}"].T,
            _aligned(replay, layers, owners).T,
            TOLERANCE,
            np.isin(owners, list(undecided(replay, layers)))[:, None],
        )


def merged_otherwise(replay: Replay, merging: str) -> set[int]:
    """Entities whose merging had a tie and chose otherwise than the recording."""
    layers = MERGING[merging]
    tied = undecided(replay, layers)
    if not tied:
        return set()
    owners = replay.recording.arrays[f"view_entity_{merging}"]
    differences = _aligned(replay, layers, owners) - replay.recording.arrays[f"scores_{merging}"]
    differ = ~(np.abs(differences) <= TOLERANCE).all(axis=0)
    return tied & set(owners[differ].tolist())


def _layers(entity: dict) -> list[list]:
    return [entity["views"], *([new["ids"] for new in layer] for layer in entity["merged"])]


def _aligned(replay: Replay, layers: int, owners: np.ndarray) -> np.ndarray:
    """Our (mentions, views) scores in the recorded columns; NaN for columns that do not fit."""
    scores, own = replay.scores(layers)
    aligned = np.full((len(scores), len(owners)), np.nan)
    for entity in np.unique(owners):
        theirs, ours = owners == entity, own == entity
        if theirs.sum() == ours.sum():
            aligned[:, theirs] = scores[:, ours]
    return aligned
