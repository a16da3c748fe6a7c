"""Compares merging: the ranges and token ids of each layer's new views."""

import numpy as np

from muver.reference.pipeline import Replay
from muver.reference.report import Report
from muver.views.expand import NewViews
from muver.views.layout import Ids

# Below this relative gap between the least distant chosen pair and the most distant other pair,
# rounding decides. Vectors of two implementations differ by about 1e-6 per component, which is 1e-5
# of the squared distance of two views.
NEAR_TIE = 2e-5


def compare_merging(replay: Replay, report: Report) -> None:
    """Merge with the recorded vectors, then end to end with our own.

    A difference is excused if the recorded choice was a near tie (:data:`NEAR_TIE`).
    """
    recording, name = replay.recording, replay.recording.name
    own = [_by_entity(layer) for layer in replay.pool[1:]]
    starts = recording.arrays["view_offset"]
    tied = []
    for entity, start in zip(recording.entities, starts, strict=True):
        line, margin = entity["line"], entity["smallest_margin"]
        near = margin is not None and margin < NEAR_TIE
        if near:
            tied.append(f"{line} (relative margin {margin:.1e})")
        for layer, (expected, found) in enumerate(
            zip(entity["merged"], _from_recorded_vectors(replay, entity, int(start)), strict=True),
            start=1,
        ):
            where = f"{name}, entity line {line}, layer {layer}"
            wanted = [[*new["range"], new["ids"]] for new in expected]
            report.tally("merged views, from recorded vectors").equal(where, wanted, found, near)
            views = own[layer - 1].get(line, [])
            ranges, ids = [view[:2] for view in views], [view[2] for view in views]
            report.tally(f"merged ranges, layer {layer}").equal(
                where, [new["range"] for new in expected], ranges, near
            )
            report.tally(f"merged token ids, layer {layer}").equal(
                where, [new["ids"] for new in expected], ids, near
            )
        counts = [len(layer.get(line, [])) for layer in own]
        totals = np.cumsum([len(replay.views[line]), *counts])[1:].tolist()
        report.tally("views after each layer").equal(
            f"{name}, entity line {line}", entity["n_total"], totals, near
        )
    if tied:
        report.notes.append(f"{name}: merging chose among ties in entity lines {', '.join(tied)}.")


def undecided(replay: Replay, layers: int) -> set[int]:
    """Entities whose merging with our own vectors has a near tie (:data:`NEAR_TIE`)."""
    top_k = replay.recording.settings["top_k"]
    original = replay.pool[0]
    owners = np.array(original.entities)
    found = set()
    for entity in range(len(replay.views)):
        slots = original.vectors[owners == entity].copy()
        for layer in replay.pool[1 : layers + 1]:
            if _margin(slots, top_k) < NEAR_TIE:
                found.add(entity)
            for place in np.flatnonzero(np.array(layer.entities) == entity):
                slots[layer.views[place].first] = layer.vectors[place]
    return found


def _margin(slots: np.ndarray, top_k: float) -> float:
    count = int(len(slots) * top_k)
    distances = -np.sort(-np.square(slots[1:] - slots[:-1]).sum(axis=1, dtype=np.float64))
    if not 0 < count < len(distances):
        return np.inf
    if distances[count - 1] == 0:
        return 0.0
    return float((distances[count - 1] - distances[count]) / distances[count - 1])


def _by_entity(layer: NewViews) -> dict[int, list[list]]:
    found: dict[int, list[list]] = {}
    for entity, view in zip(layer.entities, layer.views, strict=True):
        found.setdefault(entity, []).append([view.first, view.last, view.ids])
    return found


def _from_recorded_vectors(replay: Replay, entity: dict, start: int) -> list[list[list]]:
    """Ranges and ids of each layer, with vectors looked up in the recording."""
    vectors = replay.recording.arrays["views"]
    count = len(entity["views"])
    merged = [new["ids"] for layer in entity["merged"] for new in layer]
    known = {tuple(ids): vectors[start + count + n] for n, ids in enumerate(merged)}
    nothing = np.zeros(vectors.shape[1], dtype=np.float32)

    def look_up(ids: list[Ids]) -> np.ndarray:
        rows = [known.get(tuple(one), nothing) for one in ids]
        return np.array(rows, dtype=np.float32).reshape(len(rows), vectors.shape[1])

    layers = replay.merge(
        np.zeros(count, dtype=int), entity["views"], vectors[start : start + count], look_up
    )
    return [[[view.first, view.last, view.ids] for view in layer.views] for layer in layers]
