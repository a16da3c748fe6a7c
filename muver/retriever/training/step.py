"""One training step: encode the batch, take the loss over all of it, send the gradient back.

Gradient caching makes a batch larger than memory possible. The vectors of the whole batch are
computed first, the loss is taken over all of them, and its gradient with respect to the vectors is
kept. If the batch was small enough, its graph is still there and the gradient flows on through it.
Otherwise the sequences are encoded a second time, a chunk at a time, with the same random numbers,
so that dropout falls on the same places and the gradients are those of the plain loss. (Gao et al.
2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup".)
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor, nn

from muver.retriever.encoders.bulk import Encode, batches_by_length, onto, pack
from muver.retriever.encoders.device import BATCH_TOKENS
from muver.retriever.training.data import Batch
from muver.retriever.training.objective import Objective
from muver.retriever.views.layout import Ids


class CachedEncoding:
    """Vectors of a batch's sequences as a leaf tensor whose gradient can be sent back later.

    ``chunk_tokens`` are the padded tokens in one pass through the encoder. ``keep_graph`` keeps the
    activations of all chunks (fast); otherwise they are encoded twice (small).

    Attributes
    ----------
    vectors : (sequences, d), or (sequences, longest, d)
        Rows in the order given. Values after a sequence's end have no meaning.
    mask : (sequences, longest)
        1 at the tokens that take part in a score: real ones, or all ``pad_to`` of them.
    """

    def __init__(
        self,
        encode: Encode,
        sequences: Sequence[Ids],
        chunk_tokens: int,
        keep_graph: bool,
        device: torch.device,
        pad_to: int | None = None,
    ):
        self._encode, self._sequences, self._device = encode, sequences, device
        self._pad_to = pad_to
        lengths = [pad_to or len(ids) for ids in sequences]
        longest = max(lengths, default=pad_to or 1)
        # Of each pass: rows, also as a tensor, the random state before, the output if it is kept.
        self._passes: list[tuple[list[int], Tensor, list[Tensor], Tensor | None]] = []
        outputs = []
        for places in batches_by_length(lengths, chunk_tokens):
            rows, state = places.tolist(), _random_state(device)
            with torch.set_grad_enabled(keep_graph):
                output = self._forward(rows)
            kept = output if keep_graph else None
            self._passes.append((rows, onto(places, device), state, kept))
            outputs.append(output.detach().float())
        if not sequences:  # a process without sequences still takes part in every exchange
            outputs.append(encode(pack([[0]], device, pad_to)).detach().float())
        real = np.arange(longest) < np.array(lengths, int)[:, None]
        self.mask = onto(real, device).float()
        widest = max(output.shape[1:] for output in outputs)
        self.vectors = torch.zeros((len(sequences), *widest), device=device)
        for (_, places, *_), output in zip(self._passes, outputs, strict=False):
            self.vectors[places, : output.shape[1]] = output  # (rows, d): all of d
        self.vectors.requires_grad_()

    def backward(self) -> None:
        """Send the gradient of :attr:`vectors` on to the encoder's parameters."""
        gradient = self.vectors.grad
        assert gradient is not None, "the loss has not been differentiated yet"
        before = _random_state(self._device)
        while self._passes:
            rows, places, state, output = self._passes.pop(0)
            if output is None:
                _set_random_state(state, self._device)
                output = self._forward(rows)
            output.backward(gradient[places, : output.shape[1]].to(output.dtype))
        _set_random_state(before, self._device)

    def _forward(self, rows: list[int]) -> Tensor:
        chunk = [self._sequences[row] for row in rows]
        return self._encode(pack(chunk, self._device, self._pad_to))


def _random_state(device: torch.device) -> list[Tensor]:
    states = [torch.get_rng_state()]
    if device.type == "cuda":
        states.append(torch.cuda.get_rng_state(device))
    return states


def _set_random_state(states: list[Tensor], device: torch.device) -> None:
    torch.set_rng_state(states[0])
    if device.type == "cuda":
        torch.cuda.set_rng_state(states[1], device)


def backward_through_batch(
    model: nn.Module, objective: Objective, batch: Batch,
    accelerator: Accelerator, chunk_tokens: int, graph_tokens: int,
) -> Tensor:  # fmt: skip
    """Add the gradient of the objective's loss of a batch to the model; return the loss, a scalar
    on its device: to read it is to wait for a GPU.

    Each of several processes encodes its share of the sequences; the loss is over all of them, and
    the gradients are summed, so that they are those of a single process.

    One pass has ``chunk_tokens`` padded tokens; activations are kept if this process has at most
    ``graph_tokens`` tokens, and recomputed otherwise. Shorter passes save nothing that is kept, so
    a GPU then has :data:`.device.BATCH_TOKENS` of them, if that is more.
    """
    sides = objective.sides(model, batch)
    share = slice(accelerator.process_index, None, accelerator.num_processes)
    tokens = sum(side.pad_to or len(ids) for side in sides for ids in side.sequences[share])
    keep, device = tokens <= graph_tokens, accelerator.device
    if keep and device.type == "cuda":
        chunk_tokens = max(chunk_tokens, BATCH_TOKENS["cuda"])
    how = (chunk_tokens, keep, device)
    with accelerator.autocast():
        encoded = [
            CachedEncoding(side.encode, side.sequences[share], *how, side.pad_to) for side in sides
        ]
    gathered = [
        _gather(encoding, share, len(side.sequences), accelerator)
        for encoding, side in zip(encoded, sides, strict=True)
    ]
    loss = objective.loss(model, batch, *chain.from_iterable(gathered))
    loss.backward()
    for encoding in encoded:
        with accelerator.autocast():
            encoding.backward()
    if accelerator.num_processes > 1:
        for weight in model.parameters():
            # A process without sequences for a tower has no gradient there, but must take part.
            gradient = torch.zeros_like(weight) if weight.grad is None else weight.grad
            weight.grad = accelerator.reduce(gradient, reduction="sum")
    return loss.detach()


def _gather(
    encoded: CachedEncoding, share: slice, total: int, accelerator: Accelerator
) -> list[Tensor]:
    """Vectors and mask of all processes' sequences; gradients flow to its ``share``."""
    if accelerator.num_processes == 1:
        return [encoded.vectors, encoded.mask]
    whole = []
    for local in (encoded.vectors, encoded.mask):
        length = torch.tensor(local.shape[1], device=accelerator.device)
        longest = int(accelerator.gather(length).max())
        placed = local.new_zeros((total, longest, *local.shape[2:]))
        placed[share, : local.shape[1]] = local
        others = accelerator.reduce(placed.detach(), reduction="sum") - placed.detach()
        whole.append(placed + others)
    return whole
