"""Compares embeddings of the recorded token ids, and scores of all mentions with all views."""

import numpy as np

from muver.reference.merging import undecided
from muver.reference.pipeline import Replay
from muver.reference.recording import MERGING
from muver.reference.report import Report

TOLERANCE = 1e-4


def compare_embeddings(replay: Replay, report: Report) -> None:
    """Encode the recorded ids and compare the vectors, component by component."""
    recording, name = replay.recording, replay.recording.name
    arrays = recording.arrays
    report.tally("embeddings of contexts, components").close(
        lambda place: f"{name}, mention {place[0]}, component {place[1]}",
        arrays["context"],
        replay.encode_contexts(recording.tokens["contexts"]),
        TOLERANCE,
    )
    rows = [
        (entity["line"], layer, number, ids)
        for entity in recording.entities
        for layer, some in enumerate(_layers(entity))
        for number, ids in enumerate(some)
    ]
    vectors = replay.encode_views([ids for *_, ids in rows])
    merged = np.array([layer > 0 for _, layer, _, _ in rows])
    for kind, chosen in (("views", ~merged), ("merged views", merged)):
        places = np.flatnonzero(chosen)

        def where(place: tuple[int, ...], places: np.ndarray = places) -> str:
            line, layer, number, _ = rows[places[place[0]]]
            return f"{name}, entity line {line}, layer {layer}, view {number}, component {place[1]}"

        report.tally(f"embeddings of {kind}, components").close(
            where, arrays["views"][chosen], vectors[chosen], TOLERANCE
        )


def compare_scores(replay: Replay, report: Report) -> None:
    """Compare end-to-end scores: our own token ids, vectors and merging.

    If an entity has another number of views, all its scores count as different. A difference is
    excused if the entity's merging had a tie.
    """
    recording, name = replay.recording, replay.recording.name
    for merging, layers in MERGING.items():
        owners = recording.arrays[f"view_entity_{merging}"]
        tied = np.isin(owners, list(undecided(replay, layers)))
        report.tally(f"scores, {merging}").close(
            lambda place, owners=owners: (
                f"{name}, mention {place[0]}, entity line {owners[place[1]]}, "
                f"view {np.sum(owners[: place[1]] == owners[place[1]])}"
            ),
            recording.arrays[f"scores_{merging}"],
            _aligned(replay, layers, owners),
            TOLERANCE,
            tied[None, :],
        )
    if otherwise := sorted(merged_otherwise(replay, "merge4")):
        report.notes.append(
            f"{name}: merging had a tie and chose otherwise than recorded in entity lines "
            f"{', '.join(map(str, otherwise))}."
        )


def merged_otherwise(replay: Replay, merging: str) -> set[int]:
    """Entities whose merging had a tie and chose otherwise than the recording."""
    layers = MERGING[merging]
    owners = replay.recording.arrays[f"view_entity_{merging}"]
    tied = undecided(replay, layers)
    if not tied:
        return set()
    differences = _aligned(replay, layers, owners) - replay.recording.arrays[f"scores_{merging}"]
    differ = ~(np.abs(differences) <= TOLERANCE).all(axis=0)
    return tied & set(owners[differ].tolist())


def _layers(entity: dict) -> list[list]:
    return [entity["views"], *([new["ids"] for new in layer] for layer in entity["merged"])]


def _aligned(replay: Replay, layers: int, owners: np.ndarray) -> np.ndarray:
    """Our (mentions, views) scores in the recorded columns; NaN for columns that do not fit."""
    scores, own = replay.scores(layers)
    if np.array_equal(own, owners):
        return scores
    aligned = np.full((len(scores), len(owners)), np.nan)
    for entity in np.unique(owners):
        theirs, ours = owners == entity, own == entity
        if theirs.sum() == ours.sum():
            aligned[:, theirs] = scores[:, ours]
    return aligned
