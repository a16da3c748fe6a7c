"""Compares training: loss and gradients of one batch, and five steps of the optimiser."""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.utils import clip_grad_norm_

from muver.retriever.encoders.scores import max_over_views, similarities
from muver.retriever.training.data import Batch as Laid
from muver.retriever.training.data import fill_with_empty_views
from muver.retriever.training.objective import InBatch
from muver.retriever.training.optimiser import build_optimiser, warm_up_then_decay
from muver.retriever.training.step import backward_through_batch
from muver.retriever.views.layout import Ids
from tests.reference.replay.pipeline import Replay
from tests.reference.replay.tally import Report, Tally

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

    def backward(self, replay: Replay) -> float:
        """Loss without dropout; leaves the gradients in the model."""
        replay.model.zero_grad(set_to_none=True)
        batch = Laid(self.contexts, self.views, self.gold)
        how = (replay.accelerator, ALL_AT_ONCE, ALL_AT_ONCE)
        return float(backward_through_batch(replay.model, InBatch(), batch, *how))


def compare_training(replay: Replay, report: Report) -> None:
    """Replay the batch and the trajectory with empty views; both change the model's weights.

    ``v5_mask`` is not replayed: it shows how transformers 5 encodes rows whose positions are all
    masked. Our empty views are attended, as in the version that the released system used.
    """
    recorded = replay.recording.ranks["training"]
    batch = _batch(replay)
    real = np.array(recorded["real_views"])
    empty_won = (np.array(recorded["legacy_mask"]["argmax_view"]) >= real).any()
    tolerance = COARSE if empty_won else TOLERANCE
    report["training, views of the gold entities"].equal(
        "the batch", recorded["real_views"], [batch.real_views[gold] for gold in batch.gold]
    )
    _compare_scores(replay, batch, report, tolerance)
    _compare_gradients(replay, batch, report, tolerance)
    _compare_trajectory(replay, batch, report, tolerance)


def _batch(replay: Replay) -> Batch:
    recorded = replay.recording.ranks["training"]
    entities = list(dict.fromkeys(recorded["gold"]))
    pad = replay.model.pieces.markers.pad
    real = [[view.ids for view in replay.views[e][:TRAINING_VIEWS]] for e in entities]
    width = replay.recording.settings["max_cand_len"]
    return Batch(
        [replay.contexts[mention] for mention in recorded["mentions"]],
        [fill_with_empty_views(some, TRAINING_VIEWS, [pad] * width) for some in real],
        np.array([entities.index(entity) for entity in recorded["gold"]]),
        [len(some) for some in real],
    )


def _compare_scores(replay: Replay, batch: Batch, report: Report, tolerance: float) -> None:
    """Compare the batch's scores and best views; equal views may swap."""
    recorded = replay.recording.ranks["training"]["legacy_mask"]
    mentions = torch.from_numpy(replay.encode_contexts(batch.contexts))
    views = torch.from_numpy(replay.encode_views([ids for some in batch.views for ids in some]))
    owners = torch.arange(len(batch.views)).repeat_interleave(TRAINING_VIEWS)
    best = max_over_views(mentions, views, owners, len(batch.views))
    rows = [f"mention {mention} of the batch" for mention in range(len(mentions))]
    report["training, scores"].close(rows, recorded["score_max"], best[:, batch.gold], tolerance)
    every = similarities(mentions, views).reshape(len(mentions), -1, TRAINING_VIEWS)
    for (row, column), expected in np.ndenumerate(np.array(recorded["argmax_view"])):
        entity = batch.gold[column]
        scores = every[row, entity]
        # All empty views are alike.
        expected = min(expected, batch.real_views[entity], TRAINING_VIEWS - 1)
        near = bool(scores.max() - scores[expected] <= tolerance)
        report["training, winning views"].equal(
            f"{rows[row]}, item {column}", expected, int(scores.argmax()), excused=near
        )


def _compare_gradients(replay: Replay, batch: Batch, report: Report, tolerance: float) -> None:
    recorded = replay.recording.ranks["training"]["legacy_mask"]
    model = replay.model
    loss = batch.backward(replay)
    words = model.mention_encoder.embeddings.word_embeddings.weight
    query = model.entity_encoder.encoder.layer[0].attention.self.query.weight
    found = {
        "grad_norm_total": clip_grad_norm_(model.parameters(), float("inf")),
        "grad_norm_ctx_word_embeddings": words.grad.norm(),
        "grad_norm_ent_layer0_query": query.grad.norm(),
    }
    _close(report["training, loss"], "the batch", recorded["loss"], loss, tolerance)
    for key, norm in found.items():
        _close(report["training, gradient norms"], key, recorded[key], norm.item(), tolerance)


def _compare_trajectory(replay: Replay, batch: Batch, report: Report, tolerance: float) -> None:
    model = replay.model
    recorded = replay.recording.ranks["training"]["trajectory_legacy_mask"]
    peak, steps = schedule_of([step["lr"] for step in recorded])
    optimiser = build_optimiser(model, peak, **PUBLISHED)
    schedule = warm_up_then_decay(optimiser, WARM_UP, steps)
    for number, step in enumerate(recorded, start=1):
        where = f"step {number}"
        rate = schedule.get_last_lr()[0]
        loss = batch.backward(replay)
        norm = clip_grad_norm_(model.parameters(), CLIP_NORM).item()
        optimiser.step()
        schedule.step()
        _close(report["trajectory, learning rate"], where, step["lr"], rate, 1e-6 * peak)
        _close(report["trajectory, loss"], where, step["loss"], loss, tolerance)
        _close(report["trajectory, gradient norm"], where, step["grad_norm"], norm, tolerance)


def schedule_of(rates: list[float]) -> tuple[float, int]:
    """Fit the published schedule (:data:`WARM_UP`): its greatest rate and number of steps.

    A recording names neither; the fitted schedule must still give every recorded rate.
    """
    peak = max(rates)

    def misfit(steps: int) -> float:
        optimiser = torch.optim.SGD([torch.zeros(1)], lr=peak)
        (factor,) = warm_up_then_decay(optimiser, WARM_UP, steps).lr_lambdas
        return max(abs(peak * factor(step) - rate) for step, rate in enumerate(rates))

    return peak, min(range(1, LONGEST_SCHEDULE + 1), key=misfit)


def _close(tally: Tally, where: str, expected: float, found: float, tolerance: float) -> None:
    """Compare one number; ``tolerance`` is relative where it is greater than 1."""
    tally.close([where], [expected], [found], tolerance * max(1.0, abs(expected)))
