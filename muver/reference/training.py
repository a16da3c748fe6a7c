"""Compares training: loss and gradients of one batch, and five steps of the optimiser."""

from dataclasses import dataclass

import numpy as np
import torch
from accelerate import Accelerator
from torch.nn.utils import clip_grad_norm_

from muver.encoders.biencoder import BiEncoder
from muver.encoders.scores import best_views, similarities
from muver.reference.pipeline import Replay
from muver.reference.report import Report
from muver.training.optimiser import build_optimiser, warm_up_then_decay
from muver.training.padding import fill_with_empty_views
from muver.training.step import backward_through_batch
from muver.views.layout import Ids

TRAINING_VIEWS = 10
PUBLISHED = {"weight_decay": 0.01, "epsilon": 1e-6, "kind": "adamw_released"}
WARM_UP = 0.1
CLIP_NORM = 1.0
TOLERANCE = 1e-4
# If an empty view is the best one, the recording is coarse: float32 rounded its attention scores
# near 10000 to steps of 2^-10, which moves scores by 5e-4 and norms by one part in 5000.
COARSE = 1e-3
LONGEST_SCHEDULE = 1000
ALL_AT_ONCE = 10**9  # tokens


@dataclass(frozen=True)
class Batch:
    """The recorded batch: contexts, views of its distinct gold entities, each mention's gold."""

    contexts: list[Ids]
    views: list[list[Ids]]
    gold: np.ndarray
    real_views: list[int]


def compare_training(replay: Replay, report: Report, accelerator: Accelerator) -> None:
    """Replay the batch and the trajectory with empty views; both change the model's weights.

    ``v5_mask`` is not replayed: it shows how transformers 5 encodes rows whose positions are all
    masked. Our empty views are attended, as in the version that the released system used.
    """
    name = replay.recording.name
    batch = _batch(replay)
    tolerance = TOLERANCE
    recorded = replay.recording.ranks["training"]
    real = np.array(recorded["real_views"])
    if (np.array(recorded["legacy_mask"]["argmax_view"]) >= real).any():
        tolerance = COARSE
        report.notes.append(
            f"{name}: an empty view wins in the training batch; there the recording is exact to "
            f"{COARSE:g} only."
        )
    report.tally("training, views of the gold entities").equal(
        name, recorded["real_views"], [batch.real_views[gold] for gold in batch.gold]
    )
    _compare_scores(replay, batch, report, tolerance)
    _compare_gradients(replay, batch, report, tolerance, accelerator)
    _compare_trajectory(replay, batch, report, tolerance, accelerator)
    if "v5_mask" in recorded:
        report.notes.append(
            f"{name}: training/v5_mask is not replayed. It is how transformers 5 encodes rows "
            "without any attended position; our empty views are attended, as legacy_mask's were."
        )


def _batch(replay: Replay) -> Batch:
    recorded = replay.recording.ranks["training"]
    entities = list(dict.fromkeys(recorded["gold"]))
    markers = replay.model.pieces.markers
    real = [[view.ids for view in replay.views[e][:TRAINING_VIEWS]] for e in entities]
    width = replay.recording.settings["max_cand_len"]
    return Batch(
        [replay.contexts[mention] for mention in recorded["mentions"]],
        [fill_with_empty_views(some, TRAINING_VIEWS, markers.pad, width) for some in real],
        np.array([entities.index(entity) for entity in recorded["gold"]]),
        [len(some) for some in real],
    )


def _compare_scores(replay: Replay, batch: Batch, report: Report, tolerance: float) -> None:
    """Compare the batch's scores and best views; equal views may swap."""
    name, recorded = replay.recording.name, replay.recording.ranks["training"]["legacy_mask"]
    mentions = torch.from_numpy(replay.encode_contexts(batch.contexts))
    flat = [ids for some in batch.views for ids in some]
    views = torch.from_numpy(replay.encode_views(flat))
    owners = torch.arange(len(batch.views)).repeat_interleave(TRAINING_VIEWS)
    best, winners = best_views(mentions, views, owners, len(batch.views))
    report.tally("training, scores").close(
        lambda place: f"{name}, mention {place[0]} of the batch, entity of mention {place[1]}",
        np.array(recorded["score_max"]),
        best[:, batch.gold].numpy(),
        tolerance,
    )
    tally = report.tally("training, winning views")
    every = similarities(mentions, views).reshape(len(mentions), -1, TRAINING_VIEWS)
    for row, line in enumerate(recorded["argmax_view"]):
        for column, expected in enumerate(line):
            entity = batch.gold[column]
            scores = every[row, entity]
            # All empty views are alike.
            expected = min(expected, batch.real_views[entity], TRAINING_VIEWS - 1)
            tally.equal(
                f"{name}, mention {row} of the batch, entity of mention {column}",
                expected,
                int(winners[row, entity]),
                excused=bool(scores.max() - scores[expected] <= tolerance),
            )


def _compare_gradients(
    replay: Replay, batch: Batch, report: Report, tolerance: float, accelerator: Accelerator
) -> None:
    name, recorded = replay.recording.name, replay.recording.ranks["training"]["legacy_mask"]
    model = replay.model
    loss = _backward(model, batch, accelerator)
    words = model.mention_encoder.embeddings.word_embeddings.weight
    query = model.entity_encoder.encoder.layer[0].attention.self.query.weight
    found = {
        "grad_norm_total": clip_grad_norm_(model.parameters(), float("inf")),
        "grad_norm_ctx_word_embeddings": words.grad.norm(),
        "grad_norm_ent_layer0_query": query.grad.norm(),
    }
    _close(report, "training, loss", name, recorded["loss"], loss, tolerance)
    for key, norm in found.items():
        where = f"{name}, {key}"
        _close(report, "training, gradient norms", where, recorded[key], float(norm), tolerance)


def _compare_trajectory(
    replay: Replay, batch: Batch, report: Report, tolerance: float, accelerator: Accelerator
) -> None:
    name, model = replay.recording.name, replay.model
    recorded = replay.recording.ranks["training"]["trajectory_legacy_mask"]
    peak, steps = schedule_of([step["lr"] for step in recorded])
    optimiser = build_optimiser(model, peak, **PUBLISHED)
    schedule = warm_up_then_decay(optimiser, WARM_UP, steps)
    report.notes.append(
        f"{name}: the trajectory's schedule is read off its learning rates: {peak:g} at most, "
        f"{steps} steps."
    )
    for number, step in enumerate(recorded):
        where = f"{name}, step {number + 1}"
        rate = schedule.get_last_lr()[0]
        loss = _backward(model, batch, accelerator)
        norm = float(clip_grad_norm_(model.parameters(), CLIP_NORM))
        optimiser.step()
        schedule.step()
        _close(report, "trajectory, learning rate", where, step["lr"], rate, 1e-6 * peak)
        _close(report, "trajectory, loss", where, step["loss"], loss, tolerance)
        _close(report, "trajectory, gradient norm", where, step["grad_norm"], norm, tolerance)


def schedule_of(rates: list[float]) -> tuple[float, int]:
    """Fit the published schedule (:data:`WARM_UP`): its greatest rate and number of steps.

    A recording names neither; the fitted schedule must still give every recorded rate.
    """
    peak = max(rates)

    def misfit(steps: int) -> float:
        optimiser = torch.optim.SGD([torch.zeros(1)], lr=peak)
        schedule = warm_up_then_decay(optimiser, WARM_UP, steps)
        (factor,) = schedule.lr_lambdas
        return max(abs(peak * factor(step) - rate) for step, rate in enumerate(rates))

    return peak, min(range(1, LONGEST_SCHEDULE + 1), key=misfit)


def _backward(model: BiEncoder, batch: Batch, accelerator: Accelerator) -> float:
    """Loss of the batch without dropout; leaves the gradients in the model."""
    model.zero_grad(set_to_none=True)
    sides = (batch.contexts, batch.views, batch.gold)
    return backward_through_batch(model, *sides, accelerator, ALL_AT_ONCE, ALL_AT_ONCE)


def _close(
    report: Report, kind: str, where: str, expected: float, found: float, tolerance: float
) -> None:
    """Compare one number; ``tolerance`` is relative where it is greater than 1."""
    allowed = tolerance * max(1.0, abs(expected))
    report.tally(kind).close(lambda _: where, np.array([expected]), np.array([found]), allowed)
