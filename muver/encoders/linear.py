"""Linear layers on a processor: by oneDNN where MKL leaves half of it unused.

torch gives float32 matrix products to MKL, which uses AVX-512 on Intel's processors alone. oneDNN
uses it on AMD's too, and is twice as fast there. torch brings it along and takes it in compiled
models.
"""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from muver.io import processor


class Linear(nn.Linear):
    """torch's, with the same weights and gradients up to the last digits."""

    def forward(self, states: Tensor) -> Tensor:
        """(..., in) to (..., out)"""
        plain = states.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
        if not plain or states.is_cuda or not by_onednn():
            return F.linear(states, self.weight, self.bias)
        # It is slow on rows with gaps between them.
        return _ByOneDNN.apply(states.contiguous(), self.weight, self.bias)


def filled(states: Tensor) -> Tensor:
    """(rows, d) with rows of zeros below up to a multiple of 64, so that numbers of rows recur.

    oneDNN generates code for every shape that it meets. Processors for which it does not have their
    rows filled too: dropout falls on the same places everywhere.
    """
    return states if states.is_cuda else F.pad(states, (0, 0, 0, -len(states) % 64))


class _ByOneDNN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, weight, bias):  # type: ignore[no-untyped-def]
        ctx.save_for_backward(states, weight)
        return _product(states, weight, bias)

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        states, weight = ctx.saved_tensors
        gradient = gradient.contiguous()
        rows, of_rows = gradient.flatten(0, -2), states.flatten(0, -2)
        to_states = _product(gradient, weight.T) if ctx.needs_input_grad[0] else None
        return to_states, _product(rows.T, of_rows.T), rows.sum(0)


def _product(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """(..., in) rows by (out, in) weights: (..., out)"""
    return torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")


@cache
def by_onednn() -> bool:
    """Whether this processor is AMD's with AVX-512, and torch has oneDNN."""
    return (
        torch.backends.cpu.get_cpu_capability() == "AVX512"
        and processor.vendor() == "AuthenticAMD"
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )
