"""Compares merging: the ranges and token ids of each layer's new views."""

from collections import defaultdict

import numpy as np

from muver.retriever.views.layout import Ids
from muver.retriever.views.merging import NewViews
from tests.reference.replay.pipeline import Replay
from tests.reference.replay.tally import Report

# Below this relative gap between the least distant chosen pair and the most distant other pair,
# rounding decides. Vectors of two implementations differ by about 1e-6 per component, which is 1e-5
# of the squared distance of two views.
NEAR_TIE = 2e-5


def compare_merging(replay: Replay, report: Report) -> None:
    """Merge with the recorded vectors, then end to end with our own.

    A difference is excused if the recorded choice was a near tie (:data:`NEAR_TIE`).
    """
    recording = replay.recording
    pool = [_by_entity(layer) for layer in replay.pool[1:]]
    for entity, start in zip(recording.entities, recording.arrays["view_offset"], strict=True):
        line, margin = entity["line"], entity["smallest_margin"]
        near = margin is not None and margin < NEAR_TIE
        own = [layer[line] for layer in pool]
        layers = zip(entity["merged"], _from_recorded(replay, entity, start), own, strict=True)
        for layer, (expected, from_recorded, views) in enumerate(layers, start=1):
            ranges, ids = [new["range"] for new in expected], [new["ids"] for new in expected]
            both = [list(pair) for pair in zip(ranges, ids, strict=True)]
            own_ranges, own_ids = [view[0] for view in views], [view[1] for view in views]
            for kind, wanted, found in (
                ("merged views, from recorded vectors", both, from_recorded),
                (f"merged ranges, layer {layer}", ranges, own_ranges),
                (f"merged token ids, layer {layer}", ids, own_ids),
            ):
                report[kind].equal(f"entity line {line}, layer {layer}", wanted, found, near)
        totals = np.cumsum([len(replay.views[line]), *map(len, own)])[1:].tolist()
        where = f"entity line {line}"
        report["views after each layer"].equal(where, entity["n_total"], totals, near)


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
    """Ranges and ids of each entity's new views."""
    found = defaultdict(list)
    for entity, view in zip(layer.entities, layer.views, strict=True):
        found[entity].append([[view.first, view.last], view.ids])
    return found


def _from_recorded(replay: Replay, entity: dict, start: int) -> list[list[list]]:
    """Ranges and ids of each layer, with vectors looked up in the recording."""
    vectors = replay.recording.arrays["views"]
    count = len(entity["views"])
    merged = [new["ids"] for layer in entity["merged"] for new in layer]
    known = {tuple(ids): vectors[start + count + n] for n, ids in enumerate(merged)}
    nothing = np.zeros(vectors.shape[1], dtype=np.float32)

    def look_up(ids: list[Ids]) -> np.ndarray:
        rows = [known.get(tuple(one), nothing) for one in ids]
        return np.array(rows, dtype=np.float32).reshape(len(rows), vectors.shape[1])

    owners = np.zeros(count, dtype=int)
    layers = replay.merge(owners, entity["views"], vectors[start : start + count], look_up)
    return [_by_entity(layer)[0] for layer in layers]
