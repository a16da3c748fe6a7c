"""Gradient caching: encode a batch that is larger than memory.

The vectors of the whole batch are computed first, the loss is taken over all of them, and its
gradient with respect to the vectors is kept. If the batch was small enough, its graph is still
there and the gradient flows on through it. Otherwise the sequences are encoded a second time, a
chunk at a time, with the same random numbers, so that dropout falls on the same places and the
gradients are those of the plain loss. (Gao et al. 2021, "Scaling Deep Contrastive Learning Batch
Size under Memory Limited Setup".)
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from muver.retriever.encoders.bulk import Encode, batches_by_length
from muver.retriever.encoders.packing import pack
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
        self._keep_graph, self._pad_to = keep_graph, pad_to
        lengths = [pad_to or len(ids) for ids in sequences]
        longest = max(lengths, default=pad_to or 1)
        self._chunks = [torch.from_numpy(r) for r in batches_by_length(lengths, chunk_tokens)]
        self._states: list[list[Tensor]] = []
        self._graphs: list[Tensor] = []
        outputs = []
        for rows in self._chunks:
            self._states.append(_random_state(device))
            with torch.set_grad_enabled(keep_graph):
                output = self._forward(rows)
            if keep_graph:
                self._graphs.append(output)
            outputs.append(output.detach().float())
        if not sequences:  # a process without sequences still takes part in every exchange
            outputs.append(encode(pack([[0]], device, pad_to)).detach().float())
        self.mask = torch.zeros((len(sequences), longest), device=device)
        for row, length in enumerate(lengths):
            self.mask[row, :length] = 1
        widest = max(output.shape[1:] for output in outputs)
        self.vectors = torch.zeros((len(sequences), *widest), device=device)
        for rows, output in zip(self._chunks, outputs, strict=False):
            self.vectors[rows, : output.shape[1]] = output  # (rows, d): all of d
        self.vectors.requires_grad_()

    def backward(self) -> None:
        """Send the gradient of :attr:`vectors` on to the encoder's parameters."""
        gradient = self.vectors.grad
        assert gradient is not None, "the loss has not been differentiated yet"
        before = _random_state(self._device)
        for number, rows in enumerate(self._chunks):
            if self._keep_graph:
                output = self._graphs[number]
            else:
                _set_random_state(self._states[number], self._device)
                output = self._forward(rows)
            output.backward(gradient[rows, : output.shape[1]].to(output.dtype))
        self._graphs.clear()
        _set_random_state(before, self._device)

    def _forward(self, rows: Tensor) -> Tensor:
        chunk = [self._sequences[row] for row in rows.tolist()]
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
