"""One training step: encode the batch, take the loss over all of it, send the gradient back."""

from collections.abc import Sequence
from itertools import chain

import torch
from accelerate import Accelerator
from torch import Tensor, nn

from muver.retriever.training.caching import CachedEncoding
from muver.retriever.training.data import Batch
from muver.retriever.training.objective import Objective
from muver.retriever.views.layout import Ids


def backward_through_batch(
    model: nn.Module, objective: Objective, batch: Batch,
    accelerator: Accelerator, chunk_tokens: int, graph_tokens: int,
) -> float:  # fmt: skip
    """Add the gradient of the objective's loss of a batch to the model; return the loss.

    Each of several processes encodes its share of the sequences; the loss is over all of them, and
    the gradients are summed, so that they are those of a single process.

    One pass has ``chunk_tokens`` padded tokens; activations are kept if this process has at most
    ``graph_tokens`` tokens, and recomputed otherwise (:mod:`.caching`).
    """
    sides = objective.sides(model, batch)
    shares = [_share(side.sequences, accelerator) for side in sides]
    tokens = sum(
        side.pad_to or len(ids)
        for side, share in zip(sides, shares, strict=True)
        for _, ids in share
    )
    how = (chunk_tokens, tokens <= graph_tokens, accelerator.device)
    with accelerator.autocast():
        encoded = [
            CachedEncoding(side.encode, [ids for _, ids in share], *how, side.pad_to)
            for side, share in zip(sides, shares, strict=True)
        ]
    gathered = [
        _gather(one, [row for row, _ in share], len(side.sequences), accelerator)
        for one, side, share in zip(encoded, sides, shares, strict=True)
    ]
    loss = objective.loss(model, batch, *chain.from_iterable(gathered))
    loss.backward()
    for one, (vectors, _), share in zip(encoded, gathered, shares, strict=True):
        _return_share(one, vectors, [row for row, _ in share])
        with accelerator.autocast():
            one.backward()
    if accelerator.num_processes > 1:
        for weight in model.parameters():
            # A process without sequences for a tower has no gradient there, but must take part.
            own = torch.zeros_like(weight) if weight.grad is None else weight.grad
            weight.grad = accelerator.reduce(own, reduction="sum")
    return float(loss.detach())


def _share(sequences: Sequence[Ids], accelerator: Accelerator) -> list[tuple[int, Ids]]:
    rows = range(accelerator.process_index, len(sequences), accelerator.num_processes)
    return [(row, sequences[row]) for row in rows]


def _gather(
    encoded: CachedEncoding, rows: list[int], total: int, accelerator: Accelerator
) -> tuple[Tensor, Tensor]:
    """Vectors and mask of all processes' sequences, as a leaf tensor of its own."""
    if accelerator.num_processes == 1:
        return encoded.vectors, encoded.mask
    whole = []
    for own in (encoded.vectors.detach(), encoded.mask):
        length = torch.tensor(own.shape[1], device=accelerator.device)
        longest = int(accelerator.gather(length).max())
        placed = own.new_zeros((total, longest, *own.shape[2:]))
        placed[rows, : own.shape[1]] = own
        whole.append(accelerator.reduce(placed, reduction="sum"))
    vectors, mask = whole
    return vectors.detach().requires_grad_(), mask


def _return_share(encoded: CachedEncoding, gathered: Tensor, rows: list[int]) -> None:
    if gathered is encoded.vectors:
        return
    assert gathered.grad is not None
    encoded.vectors.grad = gathered.grad[rows][:, : encoded.vectors.shape[1]].contiguous()
