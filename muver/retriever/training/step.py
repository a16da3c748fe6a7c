"""One training step: encode the batch, take the loss over all of it, send the gradient back."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor, nn

from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import Encode
from muver.retriever.encoders.scores import max_over_views, sum_of_max
from muver.retriever.training.batches import in_batch_loss
from muver.retriever.training.caching import CachedEncoding
from muver.retriever.views.layout import Ids


class Side(NamedTuple):
    """Sequences that one encoder reads in a step; ``pad_to`` is as of :class:`CachedEncoding`."""

    encode: Encode
    sequences: Sequence[Ids]
    pad_to: int | None = None


def backward_through_batch(
    model: BiEncoder, contexts: Sequence[Ids], views: Sequence[Sequence[Ids]], gold: np.ndarray,
    accelerator: Accelerator, chunk_tokens: int, graph_tokens: int,
    mask_false_negatives: bool = False,
) -> float:  # fmt: skip
    """Add the gradient of the batch's loss to the model's parameters; return the loss.

    ``views`` are of the distinct entities of the batch, and ``gold``, (mentions,), says which of
    them is each mention's. The rest is as of :func:`backward_through`.
    """
    device = accelerator.device
    flat = [ids for some in views for ids in some]
    owners = torch.tensor([n for n, some in enumerate(views) for _ in some], device=device)
    pad_contexts, pad_views = model.config.pad_to

    def loss_of(mentions: Tensor, mention_mask: Tensor, encoded: Tensor, mask: Tensor) -> Tensor:
        if model.config.score == "sum_max":
            scores = sum_of_max(mentions, mention_mask, encoded, mask)
        else:
            scores = max_over_views(mentions, encoded, owners, len(views), model.config.metric)
        return in_batch_loss(scores, torch.as_tensor(gold, device=device), mask_false_negatives)

    sides = [
        Side(model.encode_mentions, contexts, pad_contexts),
        Side(model.encode_views, flat, pad_views),
    ]
    return backward_through(model, sides, loss_of, accelerator, chunk_tokens, graph_tokens)


def backward_through(
    model: nn.Module, sides: Sequence[Side], loss_of: Callable[..., Tensor],
    accelerator: Accelerator, chunk_tokens: int, graph_tokens: int,
) -> float:  # fmt: skip
    """Add the gradient of a loss over all sequences of a step to the model; return the loss.

    Each of several processes encodes its share of the sequences; the loss is over all of them, and
    the gradients are summed, so that they are those of a single process.

    ``loss_of`` takes vectors and mask of each side, as :class:`CachedEncoding` has them. One pass
    has ``chunk_tokens`` padded tokens; activations are kept if this process has at most
    ``graph_tokens`` tokens, and recomputed otherwise (:mod:`.caching`).
    """
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
    loss = loss_of(*chain.from_iterable(gathered))
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
