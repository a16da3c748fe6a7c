"""The training run: epochs of batches, validation, the checkpoint to keep, the log."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from torch.nn.utils import clip_grad_norm_

from muver.io.files import write_text
from muver.io.progress import Progress, logger
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.training.batches import epoch_batches
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.training.memory import fewer_graph_tokens
from muver.retriever.training.optimiser import build_optimiser, planned_steps, warm_up_then_decay
from muver.retriever.training.padding import fill_with_empty_views
from muver.retriever.training.settings import Training
from muver.retriever.training.step import backward_through_batch
from muver.retriever.training.validation import count_hits
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World


class Trainer:
    """Trains one model; to resume, a run needs only the saved state.

    The model is moved to the accelerator's device. ``checkpoints`` keep the last and the best
    state.
    """

    def __init__(
        self,
        model: BiEncoder,
        training: list[World],
        validation: list[World],
        settings: Training,
        seed: int,
        accelerator: Accelerator,
        checkpoints: Checkpoints,
    ):
        self.model = model.to(accelerator.device)
        self.validation, self.settings, self.seed = validation, settings, seed
        self.accelerator, self.checkpoints = accelerator, checkpoints
        self.worlds = training
        self.examples = [(w, m) for w, world in enumerate(training) for m in range(len(world.gold))]
        self.planned = planned_steps(len(self.examples), settings.batch_size, settings.epochs)
        self.optimiser = build_optimiser(
            model,
            settings.learning_rate,
            settings.weight_decay,
            settings.adam_epsilon,
            settings.optimiser,
        )
        self.schedule = warm_up_then_decay(self.optimiser, settings.warmup, self.planned)
        self.graph_tokens = settings.graph_tokens  # lowered if a GPU's memory does not suffice
        self.step = 0
        self.best = -1
        self.speed = 0.0  # mentions per second of the last step
        self.log: list[dict[str, Any]] = []

    def run(self) -> list[dict[str, Any]]:
        """Train to the end, load the kept state into the model, return the log's lines."""
        self._resume()
        epochs = [list(self._batches(epoch)) for epoch in range(self.settings.epochs)]
        total = sum(len(batches) for batches in epochs)
        progress = Progress("training", total, "steps", done=self.step)
        position = 0
        for epoch, batches in enumerate(epochs, start=1):
            for batch in batches:
                position += 1
                if position <= self.step:
                    continue
                self._train_on(batch, epoch)
                last = position == total
                if self.step % self.settings.validate_every == 0 or last:
                    self._validate(epoch)
                if self.step % self.settings.checkpoint_every == 0 or last:
                    self._save("last")
                progress.advance(note=f"loss {self.log_loss():.3f}, {self.speed:.1f} mentions/s")
        progress.finish()
        kept = self.checkpoints.load(self.settings.keep)
        assert kept is not None, "the last step always validates and saves"
        self.model.load_state_dict(kept["model"])
        return self.log

    def log_loss(self) -> float:
        """The newest loss in the log."""
        return next(line["loss"] for line in reversed(self.log) if "loss" in line)

    def _batches(self, epoch: int) -> Iterator[np.ndarray]:
        by_world: dict[str, list[int]] = {}
        for number, (world, _) in enumerate(self.examples):
            by_world.setdefault(self.worlds[world].name, []).append(number)
        yield from epoch_batches(by_world, self.settings.batch_size, self.seed, epoch)

    def _train_on(self, batch: np.ndarray, epoch: int) -> None:
        started = time.monotonic()
        contexts, views, gold = self._lay_out(batch)
        self.model.train()
        loss = self._backward(contexts, views, gold)
        if self.settings.average_gradients_over > 1:
            for weight in self.model.parameters():
                if weight.grad is not None:
                    weight.grad /= self.settings.average_gradients_over
        norm = float(clip_grad_norm_(self.model.parameters(), self.settings.clip_norm))
        self.optimiser.step()
        rate = self.schedule.get_last_lr()[0]
        self.schedule.step()
        self.step += 1
        self.log.append(
            {
                "step": self.step,
                "epoch": epoch,
                "loss": loss,
                "learning_rate": rate,
                "gradient_norm": norm,
            }
        )
        self.speed = len(batch) / (time.monotonic() - started)

    def _backward(self, contexts: list[Ids], views: list[list[Ids]], gold: np.ndarray) -> float:
        """The batch's loss and its gradient; retried with less memory if the GPU has too little."""
        chunk_tokens = self.settings.chunk_tokens
        while True:
            self._seed_dropout()
            self.optimiser.zero_grad(set_to_none=True)
            with contextlib.suppress(torch.OutOfMemoryError):
                return backward_through_batch(
                    self.model,
                    contexts,
                    views,
                    gold,
                    self.accelerator,
                    chunk_tokens,
                    self.graph_tokens,
                    self.settings.mask_false_negatives,
                )
            self.optimiser.zero_grad(
                set_to_none=True
            )  # free the gradients before memory is given back
            self.graph_tokens = fewer_graph_tokens(
                [*contexts, *(ids for own in views for ids in own)],
                chunk_tokens,
                self.graph_tokens,
                self.accelerator.num_processes,
            )

    def _seed_dropout(self) -> None:
        """Seed by step and process, so that a checkpoint needs no generator's state."""
        source = np.random.SeedSequence([self.seed, self.step, self.accelerator.process_index])
        torch.manual_seed(int(source.generate_state(1)[0]))

    def _lay_out(self, batch: np.ndarray) -> tuple[list[Ids], list[list[Ids]], np.ndarray]:
        """Contexts, views of the distinct entities, and the column of each mention's gold.

        The golds come first, then the hard negatives that are no mention's gold: each entity is one
        column, however often it was mined.
        """
        contexts, gold, negatives = [], [], []
        columns: dict[tuple[int, int], int] = {}
        for number in batch:
            place, mention = self.examples[number]
            world = self.worlds[place]
            contexts.append(world.contexts[mention])
            entity = (place, int(world.gold[mention]))
            gold.append(columns.setdefault(entity, len(columns)))
            if world.negatives:
                negatives += [(place, int(one)) for one in world.negatives[mention]]
        entities = dict.fromkeys([*columns, *negatives])
        return contexts, [self._training_views(*one) for one in entities], np.array(gold)

    def _training_views(self, world: int, entity: int) -> list[Ids]:
        settings = self.model.config.views
        limit = settings.training_views or None
        own = [view.ids for view in self.worlds[world].views[entity][:limit]]
        if self.settings.padding_views:
            pad_piece = self.model.pieces.markers.pad
            return fill_with_empty_views(own, limit, pad_piece, settings.max_tokens)
        return own

    def _validate(self, epoch: int) -> None:
        """Log the hits; a state is the best if it finds strictly more than before (as released)."""
        cutoff = self.settings.validation_cutoff
        with self.accelerator.autocast():
            hits, total = count_hits(
                self.model,
                self.validation,
                cutoff,
                self.settings.chunk_tokens,
                self.accelerator.device,
            )
        logger.info(
            "step %d: validation recall@%d %.2f (%d of %d)",
            self.step, cutoff, 100 * hits / total, hits, total,
        )  # fmt: skip
        self.log.append(
            {
                "step": self.step,
                "epoch": epoch,
                f"validation_recall_at_{cutoff}": 100 * hits / total,
            }
        )
        if hits > self.best:
            self.best = hits
            if self.settings.keep == "best":
                self._write("best", {"model": self.model.state_dict(), "step": self.step})

    def _save(self, name: str) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "step": self.step,
            "best": self.best,
            "log": json.dumps(self.log),
        }
        self._write(name, state)

    def _write(self, name: str, state: dict[str, Any]) -> None:
        if self.accelerator.is_main_process:
            self.checkpoints.save(name, state)
        self.accelerator.wait_for_everyone()

    def _resume(self) -> None:
        state = self.checkpoints.load("last")
        if state is None:
            return
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.schedule.load_state_dict(state["schedule"])
        self.step, self.best = state["step"], state["best"]
        self.log = json.loads(state["log"])
        logger.info("resumed at step %d", self.step)


def write_log(path: Path, log: list[dict[str, Any]], cutoff: int, keep: str) -> None:
    """Write the training log as JSON lines: steps, validations, and the state that is kept.

    It holds no times: if a run repeats exactly, as on a CPU, so do the log's bytes
    (docs/fidelity.md, "Equal bytes").
    """
    name = f"validation_recall_at_{cutoff}"
    recalls = [line for line in log if name in line]
    best = max(recalls, key=lambda line: line[name])  # max takes the first of equals
    kept = {"best": best, "last": recalls[-1]}[keep]
    lines = [*log, {f"{keep}_step": kept["step"], f"{keep}_{name}": kept[name]}]
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))
