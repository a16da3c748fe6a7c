"""Linear layers in whole numbers, to encode on processors that multiply bytes fast.

Each row of states and each row of weights is rounded by a scale of its own, so that the rest of the
batch changes nothing. torch's own dynamic quantisation has one scale for a whole batch.
"""

from typing import TypeVar

import torch
from torch import Tensor, nn

from muver.io.errors import InputError
from muver.retriever.encoders.linear import Linear

Model = TypeVar("Model", bound=nn.Module)
STEPS = 127  # on either side of 0


class Int8Linear(nn.Module):
    """A linear layer that multiplies bytes; its bias and its result are in fp32."""

    rounded: Tensor
    scale: Tensor

    def __init__(self, layer: nn.Linear):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias  # SelfAttention.first reads them
        rounded, scale = to_bytes(layer.weight.detach())
        self.register_buffer("rounded", rounded.T.contiguous(), persistent=False)
        self.register_buffer("scale", scale.flatten(), persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        """(..., in) to (..., out)"""
        rounded, scale = to_bytes(states.flatten(0, -2))
        product = torch._int_mm(rounded, self.rounded) * scale
        return torch.addcmul(self.bias, product, self.scale).view(*states.shape[:-1], -1)


def to_bytes(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Round (rows, d) float32 to int8 from -127 to 127, by a step of each row, (rows, 1) float32.

    >>> to_bytes(torch.tensor([[254.0, -2.0], [0.0, 0.0]]))[0].tolist()
    [[127, -1], [0, 0]]
    """
    least = torch.finfo(rows.dtype).tiny  # so that a row of zeros has a step
    scale = rows.abs().amax(1, keepdim=True).clamp_min(least * STEPS) / STEPS
    return (rows / scale).round_().to(torch.int8), scale


def to_precision(model: Model, precision: str) -> Model:
    """For int8, replace every linear layer of the model by an :class:`Int8Linear`, in place.

    The other precisions are autocast's and leave the weights as they are.
    """
    if precision != "int8":
        return model
    if not any(isinstance(module, Linear) for module in model.modules()):
        raise InputError(
            "precision: int8 is for plain BERTs, and this encoder is computed by Hugging Face's "
            "library. Set it to 'fp32' or 'bf16'."
        )
    for parent in list(model.modules()):
        for name, child in parent.named_children():
            if isinstance(child, Linear):
                setattr(parent, name, Int8Linear(child))
    return model
