"""Linear layers in whole numbers: for encoding on processors that multiply bytes fast.

Each row of states and each row of weights is rounded by a scale of its own, so that what else is
in a batch changes nothing. torch's own dynamic quantisation has one scale for a whole batch.
"""

import torch
from torch import Tensor, nn

STEPS = 127  # on either side of 0


class Int8Linear(nn.Module):
    """A linear layer of which the product is of bytes; bias and result are in fp32.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> layer.weight.data, layer.bias.data = torch.tensor([[1.0, 0.25]]), torch.tensor([5.0])
    >>> Int8Linear(layer)(torch.tensor([[2.0, 2.0]])).detach()  # 0.25 is 32 steps of 1/127
    tensor([[7.5039]])
    """

    rounded: Tensor
    scale: Tensor

    def __init__(self, layer: nn.Linear):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias  # the last layer's first state reads them
        rounded, scale = to_bytes(layer.weight.detach())
        self.register_buffer("rounded", rounded.T.contiguous(), persistent=False)
        self.register_buffer("scale", scale.flatten(), persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        """(..., in) to (..., out)"""
        rounded, scale = to_bytes(states.flatten(0, -2))
        product = torch._int_mm(rounded, self.rounded) * scale
        return torch.addcmul(self.bias, product, self.scale).view(*states.shape[:-1], -1)


def to_bytes(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Rows rounded to whole numbers from -127 to 127, and what one step of each row is.

    Parameters
    ----------
    rows
        (rows, d) float32.

    Returns
    -------
    (rows, d) int8, and (rows, 1) float32.

    Examples
    --------
    >>> to_bytes(torch.tensor([[254.0, -2.0], [0.0, 0.0]]))[0].tolist()
    [[127, -1], [0, 0]]
    """
    least = torch.finfo(rows.dtype).tiny  # of a row of zeros
    scale = rows.abs().amax(1, keepdim=True).clamp_min(least * STEPS) / STEPS
    return (rows / scale).round_().to(torch.int8), scale


def in_int8(model: nn.Module) -> nn.Module:
    """The model with an :class:`Int8Linear` in place of each linear layer, changed in place."""
    for parent in list(model.modules()):
        for name, child in parent.named_children():
            if isinstance(child, nn.Linear):
                setattr(parent, name, Int8Linear(child))
    return model
