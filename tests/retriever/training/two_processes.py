"""What test_step.py runs in two processes: one step a case, gradients saved by every process."""

import multiprocessing
import os
import sys
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator

from muver.retriever.training.data import Batch, fill_with_empty_views
from muver.retriever.training.objective import InBatch
from muver.retriever.training.step import backward_through_batch
from tests import tiny

CONTEXTS = [[5, 10 + n, *range(20, 22 + n), 6] for n in range(5)]
VIEWS = [[[5, 30 + n, *range(40, 42 + v), 6] for v in range(1 + n % 3)] for n in range(4)]
FILLED = [fill_with_empty_views(some, 3, [0] * 24) for some in VIEWS]
PADDING = {"score": "sum_max", "padding": True}
L2 = {"metric": "l2", "pooling": "special"}
CASES = {  # score or more of the model, contexts, views, gold, graph_tokens
    "max": ("max", CONTEXTS, VIEWS, [0, 2, 1, 3, 2], 10**9),
    "max, encoded twice": ("max", CONTEXTS, VIEWS, [0, 2, 1, 3, 2], 0),
    "hard negatives": ("max", CONTEXTS, VIEWS, [0, 2, 0, 0, 2], 0),
    "token vectors": ("sum_max", CONTEXTS, [v[:1] for v in VIEWS], [0, 2, 1, 3, 2], 0),
    "one mention": ("max", CONTEXTS[:1], VIEWS, [2], 10**9),
    "one mention, token vectors": ("sum_max", CONTEXTS[:1], [v[:1] for v in VIEWS], [2], 0),
    "empty views, l2, another pooling": (L2, CONTEXTS, FILLED, [0, 2, 1, 3, 2], 0),
    "padding": (PADDING, CONTEXTS, [v[:1] for v in VIEWS], [0, 2, 1, 3, 2], 0),
    "one mention, padding": (PADDING, CONTEXTS[:1], [v[:1] for v in VIEWS], [2], 0),
    "one view": ("max", CONTEXTS, VIEWS[:1], [0] * 5, 0),
}


def step(case: str, encoder: Path, accelerator: Accelerator) -> dict[str, torch.Tensor | None]:
    """Loss and gradients of a case, by name; a single mention is ranked among all entities."""
    kind, contexts, views, gold, graph_tokens = CASES[case]
    model = tiny.make_model(encoder, **({"score": kind} if isinstance(kind, str) else kind))
    batch, objective = Batch(contexts, views, np.array(gold)), InBatch(len(contexts) == 1)
    loss = backward_through_batch(model, objective, batch, accelerator, 16, graph_tokens)
    found = {name: weight.grad for name, weight in model.named_parameters()}
    return {"loss": loss, **found}


def run(rank: int, encoder: Path, out: Path) -> None:
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
    process = Accelerator(cpu=True)
    assert process.num_processes == 2
    results = {case: step(case, encoder, process) for case in CASES}
    torch.save(results, out / f"{process.process_index}.pt")


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")  # all is imported once
    both = [fork.Process(target=run, args=(rank, *map(Path, sys.argv[1:]))) for rank in (0, 1)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    sys.exit(any(one.exitcode for one in both))
