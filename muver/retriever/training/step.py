"""One training step: encode the batch, take the loss over all of it, send the gradient back."""

from collections.abc import Sequence

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor

from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.scores import max_over_views, sum_of_max
from muver.retriever.training.batches import in_batch_loss
from muver.retriever.training.caching import CachedEncoding
from muver.retriever.views.layout import Ids


def backward_through_batch(
    model: BiEncoder, contexts: Sequence[Ids], views: Sequence[Sequence[Ids]], gold: np.ndarray,
    accelerator: Accelerator, chunk_tokens: int, graph_tokens: int,
    mask_false_negatives: bool = False,
) -> float:  # fmt: skip
    """Add the gradient of the batch's loss to the model's parameters; return the loss.

    Each of several processes encodes its share of the sequences; the loss is over the whole batch,
    and the gradients are summed, so that they are those of a single process.

    ``views`` are of the distinct entities of the batch, and ``gold``, (mentions,), says which of
    them is each mention's. One pass has ``chunk_tokens`` padded tokens; activations are kept if
    this process has at most ``graph_tokens`` tokens, and recomputed otherwise (:mod:`.caching`).
    """
    device = accelerator.device
    flat = [ids for some in views for ids in some]
    owners = torch.tensor([n for n, some in enumerate(views) for _ in some], device=device)
    sides = (_share(contexts, accelerator), _share(flat, accelerator))
    pad_to = model.config.pad_to
    tokens = sum(
        length or len(ids) for side, length in zip(sides, pad_to, strict=True) for _, ids in side
    )
    encoders = (model.encode_mentions, model.encode_views)
    how = (chunk_tokens, tokens <= graph_tokens, device)
    with accelerator.autocast():
        encoded = [
            CachedEncoding(encode, [ids for _, ids in side], *how, length)
            for encode, side, length in zip(encoders, sides, pad_to, strict=True)
        ]
    gathered = [
        _gather(one, [row for row, _ in side], total, accelerator)
        for one, side, total in zip(encoded, sides, (len(contexts), len(flat)), strict=True)
    ]
    (mention_vectors, mention_mask), (view_vectors, view_mask) = gathered
    if model.config.score == "sum_max":
        scores = sum_of_max(mention_vectors, mention_mask, view_vectors, view_mask)
    else:
        aggregate = model.aggregate or max_over_views
        scores = aggregate(mention_vectors, view_vectors, owners, len(views), model.config.metric)
    loss = in_batch_loss(scores, torch.as_tensor(gold, device=device), mask_false_negatives)
    loss.backward()
    if model.aggregate and not accelerator.is_main_process:
        model.aggregate.zero_grad()  # every process has all of its gradient
    for one, (vectors, _), side in zip(encoded, gathered, sides, strict=True):
        _return_share(one, vectors, [row for row, _ in side])
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
