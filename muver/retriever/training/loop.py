"""The training run: epochs of batches, validation, the checkpoint to keep, the log."""

import contextlib
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from muver.io.errors import InputError
from muver.io.progress import Progress, logger
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.training.data import Batch, Examples
from muver.retriever.training.log import VALIDATION
from muver.retriever.training.objective import Objective, count_hits
from muver.retriever.training.optimiser import build_optimiser, planned_steps, warm_up_then_decay
from muver.retriever.training.step import backward_through_batch
from muver.retriever.training.training_settings import Training
from muver.retriever.views.layout import Ids
from muver.retriever.views.worlds import World

READ_EVERY = 16  # steps
STATEFUL = ("model", "optimiser", "schedule")  # of a trainer, whose states a checkpoint has


class Trainer:
    """Lowers an objective over a model's data; to resume, a run needs only the saved state.

    The model is moved to the accelerator's device. ``checkpoints`` keep the last and the best
    state; the objective counts what is found in the ``validation`` worlds. Validation after the
    shares ``validate_after`` of the steps is logged as well, and keeps no state.
    """

    def __init__(
        self, model: Any, data: Examples, objective: Objective, validation: list[World],
        settings: Training, seed: int, accelerator: Accelerator, checkpoints: Checkpoints,
        validate_after: Sequence[float] = (),
    ):  # fmt: skip
        self.model = model.to(accelerator.device)
        self.data, self.objective, self.validation = data, objective, validation
        self.settings, self.seed = settings, seed
        self.accelerator, self.checkpoints = accelerator, checkpoints
        self.validate_after = validate_after
        adam = (settings.weight_decay, settings.adam_epsilon, settings.optimiser)
        self.optimiser = build_optimiser(model, settings.learning_rate, *adam)
        planned = planned_steps(len(data), settings.batch_size, settings.epochs)
        self.schedule = warm_up_then_decay(self.optimiser, settings.warmup, planned)
        self.graph_tokens = settings.graph_tokens  # lowered if a GPU's memory does not suffice
        self.step = 0
        self.best = -1
        self.log: list[dict[str, Any]] = []
        self._told, self._note = 0, ""  # lines of the log whose losses have been read, the last one

    def run(self, share: float = 1) -> list[dict[str, Any]]:
        """Train, load the kept state into the model, return the log's lines.

        After a ``share`` of the steps below 1 no state is loaded, and a further run goes on as if
        there had been no end: where no validation was due, the one there keeps no state.
        """
        self._resume()
        self.data.tell_of_single_entities()
        epochs = range(1, self.settings.epochs + 1)
        batches = [(epoch, batch) for epoch in epochs for batch in self.data.batches(epoch)]
        end = math.ceil(share * len(batches))
        further = {end, *(math.ceil(share * len(batches)) for share in self.validate_after)}
        if self.step == 0 and (self.settings.start_counts or not batches):
            self._validate(0)
            self.best -= 1  # a later state that finds as much is better
        progress = Progress("training", end, "steps", done=self.step)
        for epoch, batch in batches[self.step : end]:
            self.train_on(batch, epoch)
            due = self.step % self.settings.validate_every == 0 or self.step == len(batches)
            if due or self.step in further:
                self._validate(epoch, may_be_kept=due)
            if self.step % self.settings.checkpoint_every == 0 or self.step == end:
                self._save()
            if self.step % READ_EVERY == 0:
                self._read()
            progress.advance(note=self._note)
        progress.finish()
        if not batches:
            self._save()
        if end == len(batches):
            kept = self.checkpoints.load(self.settings.keep)
            assert kept is not None, "the last step, or none, always validates and saves"
            self.model.load_state_dict(kept["model"])
            self.kept_step = kept["step"]
        return self.log

    def train_on(self, batch: np.ndarray, epoch: int) -> None:
        """Take one step, whose loss is read later: to read it is to wait for a GPU."""
        self.model.train()
        loss = self._backward(self.data.lay_out(batch))
        if (processes := self.settings.average_gradients_over) > 1:
            for weight in self.model.parameters():
                if weight.grad is not None:
                    weight.grad /= processes
        norm = clip_grad_norm_(self.model.parameters(), self.settings.clip_norm)
        self.optimiser.step()
        rate = self.schedule.get_last_lr()[0]
        self.schedule.step()
        self.step += 1
        line = {"loss": loss, "learning_rate": rate, "gradient_norm": norm}
        self.log.append({"step": self.step, "epoch": epoch, **line})

    def _read(self) -> None:
        """Make numbers of the losses since the last call; refuse a training that diverges."""
        lines = [line for line in self.log[self._told :] if "loss" in line]
        self._told = len(self.log)
        for line in lines:
            line |= {name: float(line[name]) for name in ("loss", "gradient_norm")}
            self._note = f"loss {line['loss']:.3f}"
            if not math.isfinite(line["gradient_norm"]):
                raise InputError(
                    f"step {line['step']}: the loss is {line['loss']} and its gradient "
                    f"{line['gradient_norm']}: the training diverges. Lower training.learning_rate "
                    f"(now {self.settings.learning_rate})."
                )

    def _backward(self, batch: Batch) -> Tensor:
        """The batch's loss and its gradient; retried with less memory if the GPU has too little."""
        chunk_tokens = self.settings.chunk_tokens
        while True:
            # Seeded by step and process, so that a checkpoint needs no generator's state.
            source = [self.seed, self.step, self.accelerator.process_index]
            torch.manual_seed(int(np.random.SeedSequence(source).generate_state(1)[0]))
            self.optimiser.zero_grad(set_to_none=True)
            with contextlib.suppress(torch.OutOfMemoryError):
                return backward_through_batch(
                    self.model, self.objective, batch, self.accelerator, chunk_tokens,
                    self.graph_tokens,
                )  # fmt: skip
            # Free the gradients before memory is given back.
            self.optimiser.zero_grad(set_to_none=True)
            sides = self.objective.sides(self.model, batch)
            sequences = [ids for side in sides for ids in side.sequences]
            self.graph_tokens = fewer_graph_tokens(
                sequences, chunk_tokens, self.graph_tokens, self.accelerator.num_processes
            )

    def _validate(self, epoch: int, may_be_kept: bool = True) -> None:
        """Log the hits; a state is the best if it finds strictly more than before (as released)."""
        self._read()
        cutoff = self.settings.validation_cutoff
        asked = (self.model, self.validation, cutoff, self.settings.chunk_tokens)
        with self.accelerator.autocast():
            hits, total = count_hits(self.objective, *asked)
        logger.info(
            "step %d: validation recall@%d %.2f (%d of %d)",
            self.step, cutoff, 100 * hits / total, hits, total,
        )  # fmt: skip
        line = {f"{VALIDATION}{cutoff}": 100 * hits / total}
        self.log.append({"step": self.step, "epoch": epoch, **line})
        if may_be_kept and hits > self.best:
            self.best = hits
            if self.settings.keep == "best":
                self._write("best", {"model": self.model.state_dict(), "step": self.step})

    def _save(self) -> None:
        self._read()
        state = {name: getattr(self, name).state_dict() for name in STATEFUL}
        numbers = {"step": self.step, "best": self.best, "log": json.dumps(self.log)}
        self._write("last", state | numbers)

    def _write(self, name: str, state: dict[str, Any]) -> None:
        if self.accelerator.is_main_process:
            self.checkpoints.save(name, state)
        self.accelerator.wait_for_everyone()

    def _resume(self) -> None:
        state = self.checkpoints.load("last")
        if state is None:
            return
        for name in STATEFUL:
            getattr(self, name).load_state_dict(state[name])
        self.step, self.best = state["step"], state["best"]
        self.log = json.loads(state["log"])
        self._told = len(self.log)
        self.checkpoints.load(self.settings.keep)  # says now, not in the end, that it is damaged
        logger.info("resumed at step %d", self.step)


def fewer_graph_tokens(
    sequences: Sequence[Ids], chunk_tokens: int, graph_tokens: int, processes: int
) -> int:
    """The smaller ``graph_tokens`` with which to retry a step that did not fit a GPU's memory.

    Batches above this bound are encoded twice, in chunks, instead of keeping their activations; the
    loss stays the same, and dropout falls on other places as passes are shorter
    (:mod:`muver.retriever.training.step`). If the batch was encoded in chunks already, an error
    says what to set; that choice is left to a person, as it is where one of several ``processes``
    cannot repeat a step alone.
    """
    torch.cuda.empty_cache()
    tokens = sum(map(len, sequences))
    if processes > 1 or tokens > graph_tokens:
        raise InputError(
            f"out of the GPU's memory in a training step. Lower training.graph_tokens (now "
            f"{graph_tokens}; 0 keeps no activations), then training.chunk_tokens (now "
            f"{chunk_tokens}, at least the longest sequence's {max(map(len, sequences))}): the "
            "loss is still that of the whole batch, and dropout falls on other places."
        )
    logger.warning(
        "out of the GPU's memory with the activations of %d tokens: larger batches than %d "
        "tokens are encoded twice from here on, which changes no loss "
        "(training.graph_tokens: %d would start with that)",
        tokens, tokens // 2, tokens // 2,
    )  # fmt: skip
    return tokens // 2
