"""Linear layers and products by oneDNN on processors where MKL leaves half of the power unused.

torch gives float32 matrix products to MKL, which uses AVX-512 only on Intel's processors. oneDNN
uses it on AMD's too, and is twice as fast there. It comes with torch, which uses it in compiled
models.
"""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from muver.io import processor


class Linear(nn.Linear):
    """torch's layer with the same weights, and gradients equal up to the last digits."""

    def forward(self, states: Tensor) -> Tensor:
        """(..., in) to (..., out)"""
        if not _faster(states):
            return F.linear(states, self.weight, self.bias)
        # oneDNN is slow on rows with gaps between them.
        return _ByOneDNN.apply(states.contiguous(), self.weight, self.bias)


def products(rows: Tensor, others: Tensor) -> Tensor:
    """Dot products of (a, d) rows with (b, d) others: (a, b), without a gradient."""
    return _product(rows, others) if _faster(rows) else rows @ others.T


def filled(states: Tensor) -> Tensor:
    """Pad (rows, d) with zeros to a multiple of 64 rows, so that oneDNN sees few shapes.

    oneDNN generates code for every new shape. Rows are also padded on processors that do without
    oneDNN, so that dropout falls on the same places everywhere.
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
    """Multiply (..., in) rows by (out, in) weights: (..., out)."""
    return torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")


def _faster(rows: Tensor) -> bool:
    """Whether oneDNN is faster than what torch does with such rows."""
    in_float32 = rows.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    whole = in_float32 and torch.get_float32_matmul_precision() == "highest"
    return whole and not rows.is_cuda and by_onednn()


@cache
def by_onednn() -> bool:
    """Whether this processor is AMD's with AVX-512, and torch has oneDNN."""
    return (
        torch.backends.cpu.get_cpu_capability() == "AVX512"
        and processor.vendor() == "AuthenticAMD"
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )
