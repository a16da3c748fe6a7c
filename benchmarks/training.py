"""Measures a training step as it is run, in the baseline and ours."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW, Optimizer

from benchmarks import baseline, flops
from benchmarks.context import Context
from benchmarks.data import Case
from benchmarks.ours import accelerator
from benchmarks.rows import Findings, Row
from benchmarks.timing import in_turn, synchronise
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.device import keep_freed_memory
from muver.retriever.training.data import Batch as Laid
from muver.retriever.training.objective import InBatch
from muver.retriever.training.optimiser import build_optimiser
from muver.retriever.training.step import backward_through_batch

MENTIONS, VIEWS = 32, 10
CHUNK_TOKENS = 16384
KEPT, CACHED = 2**62, 0  # tokens up to which a batch keeps its graph
CLIP_NORM = 1.0
UNMOVED = 0.0  # the learning rate: an update is as much work, and other phases read the weights


class Batch:
    """A batch for both sides: golds once per mention, and each distinct gold once."""

    def __init__(self, case: Case, size: int):
        self.contexts, golds = case.batch(size)
        self.repeated = [case.batch_views[gold] for gold in golds]
        distinct, self.gold = np.unique(golds, return_inverse=True)
        self.views = [case.batch_views[gold] for gold in distinct]

    def work(self, case: Case) -> float:
        """GFLOP of a step, each distinct gold's views encoded once."""
        lengths = [len(ids) for views in self.views for ids in views]
        lengths += [len(ids) for ids in self.contexts]
        return 1e-9 * flops.training(case.config, lengths)


class Ours:
    """Our step, in one precision."""

    def __init__(self, case: Case, device: str, precision: str, threads: int):
        self.model = case.model.to(device).train()
        self._optimiser = build_optimiser(self.model, UNMOVED, 0.01, 1e-6)
        # Each step makes its own: all of a process share the precision of the newest.
        self._accelerator = partial(accelerator, device, precision, threads)

    def step(
        self, batch: Batch, chunk_tokens: int = CHUNK_TOKENS, graph_tokens: int = KEPT
    ) -> float:
        """The loss; gradients are left in the model."""
        self.model.zero_grad()
        own = Laid(batch.contexts, batch.views, batch.gold)
        how = self._accelerator(), chunk_tokens, graph_tokens
        return float(backward_through_batch(self.model, InBatch(), own, *how))

    def run(
        self, batch: Batch, chunk_tokens: int = CHUNK_TOKENS, graph_tokens: int = KEPT
    ) -> float:
        """A step with its update."""
        return _updated(self.step(batch, chunk_tokens, graph_tokens), self._optimiser)


class Plain:
    """The baseline's step."""

    def __init__(self, mention: Bert, entity: Bert, device: str):
        self.mention = baseline.library_model(mention, device).train()
        self.entity = baseline.library_model(entity, device).train()
        weights = [*self.mention.parameters(), *self.entity.parameters()]
        self._optimiser = AdamW(weights, UNMOVED, weight_decay=0.01, eps=1e-6)

    def step(self, batch: Batch, empty_take_part: bool = True) -> float:
        """The loss; gradients are left in the models."""
        self.mention.zero_grad()
        self.entity.zero_grad()
        loss = baseline.batch_loss(
            self.mention, self.entity, batch.contexts, batch.repeated, VIEWS, empty_take_part
        )
        loss.backward()
        return float(loss.detach())

    def run(self, batch: Batch) -> float:
        """A step with its update."""
        return _updated(self.step(batch), self._optimiser)


_plain: Plain  # of a process of the baseline's own


def _prepare(mention: Bert, entity: Bert, device: str, threads: int) -> None:
    global _plain
    torch.set_num_threads(threads)
    _plain = Plain(mention, entity, device)


def _run(batch: Batch) -> float:
    loss = _plain.run(batch)
    synchronise()
    return loss


def _updated(loss: float, optimiser: Optimizer) -> float:
    """The loss, once gradients are clipped and weights updated."""
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    clip_grad_norm_(weights, CLIP_NORM)
    optimiser.step()
    return loss


def run(context: Context) -> Findings:
    """The step of 32 mentions in each precision asked for, all in turn: with dropout and update."""
    findings = Findings()
    options, case = context.options, context.case
    batch = Batch(case, MENTIONS)
    towers = case.model.mention_encoder, case.model.entity_encoder
    rows = sum(map(len, batch.repeated)) / (MENTIONS * VIEWS)
    dropout = case.config.hidden_dropout_prob
    steps = {
        precision: Ours(case, options.device, precision, options.threads)
        for precision in options.precisions
    }
    if "fp32" in steps:
        _check(findings, steps["fp32"], Plain(*towers, options.device), batch)
    keep_freed_memory()  # as our training does, so the baseline has a process of its own
    calls = {precision: partial(ours.run, batch) for precision, ours in steps.items()}
    spawn = multiprocessing.get_context("spawn")
    given = (*towers, options.device, options.threads)
    with ProcessPoolExecutor(1, spawn, _prepare, given) as apart:
        calls["baseline"] = lambda: apart.submit(_run, batch).result()
        timed = in_turn(calls, options.repetitions)
    for precision in options.precisions:
        own = timed[precision]
        findings.rows.append(
            Row.compared(
                "training",
                f"step of {MENTIONS} mentions x {VIEWS} views, {precision}",
                "steps/s",
                timed["baseline"].each,
                own.each,
                1,
                f"forward, backward, clipping and AdamW, dropout {dropout}; "
                f"{len(batch.views)} distinct golds, {rows:.0%} of the baseline's rows are real "
                "views; the baseline in fp32",
            )
        )
        findings.rows.append(
            context.share_of_peak("training", "the step", precision, batch.work(case), own.seconds)
        )
    if {"fp32", "bf16"} <= steps.keys():
        sides = timed["fp32"].each, timed["bf16"].each
        what, remark = "the step, bf16 over ours in fp32", "baseline: ours in fp32"
        findings.rows.append(Row.compared("training", what, "steps/s", *sides, 1, remark))
    case.model.zero_grad()
    case.model.eval()
    return findings


def _check(findings: Findings, ours: Ours, plain: Plain, batch: Batch) -> None:
    """Compare loss and gradients without dropout and empty views."""
    for model in (ours.model, plain.mention, plain.entity):
        model.eval()
    expected, loss = plain.step(batch, empty_take_part=False), ours.step(batch)
    findings.agree(
        abs(loss - expected) <= 1e-4 * max(1.0, abs(expected)),
        f"training: loss {loss:.6f}, the baseline's {expected:.6f} (no dropout, no empty views)",
    )
    pairs = ((ours.model.mention_encoder, plain.mention), (ours.model.entity_encoder, plain.entity))
    worst = max(_gradient_difference(*pair) for pair in pairs)
    findings.agree(worst <= 1e-3, f"training: gradients differ by {worst:.1e} of their norm")
    for model in (ours.model, plain.mention, plain.entity):
        model.train()


def _gradient_difference(tower: nn.Module, library: nn.Module) -> float:
    """Norm of the difference of all gradients over their norm."""
    expected = {name: weight.grad for name, weight in library.named_parameters()}
    difference = total = 0.0
    for name, weight in tower.named_parameters():
        own, other = weight.grad, expected[name]
        assert own is not None and other is not None, name
        difference += float(torch.square(own - other).sum())
        total += float(torch.square(other).sum())
    return (difference / max(total, 1e-30)) ** 0.5
