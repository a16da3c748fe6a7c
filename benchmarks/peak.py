"""Measures the matrix-product peak over the shapes of a BERT's linear layers."""

import time

import torch
from torch import Tensor, nn

from benchmarks.timing import synchronise
from muver.retriever.encoders.linear import Linear

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
HIDDEN = (384, 768)
TOKENS = {"cpu": (1024, 4096, 16384), "cuda": (8192, 32768, 131072)}


@torch.inference_mode()
def matrix_peak(device: str, precision: str, seconds: float = 0.4) -> tuple[float, str]:
    """Best GFLOP/s of (tokens, hidden) x (hidden, 4 hidden) and of the way back.

    Parameters
    ----------
    device
        "cpu", with the threads that torch is set to, or "cuda".
    precision
        "fp32", without TF32, or "bf16".
    seconds
        Time spent on each shape.

    Returns
    -------
    The rate, and the shape that gave it.
    """
    best, shape = 0.0, ""
    for hidden in HIDDEN:
        for tokens in TOKENS[device]:
            for rows, inner, columns in (
                (tokens, hidden, 4 * hidden),
                (tokens, 4 * hidden, hidden),
            ):
                own = f"{rows} x {inner} x {columns}"
                if (rate := shape_rate(own, device, precision, seconds)) > best:
                    best, shape = rate, own
    return best, shape


@torch.inference_mode()
def shape_rate(shape: str, device: str, precision: str, seconds: float) -> float:
    """Best GFLOP/s of one product by torch's layer or ours; a shape is as "4096 x 384 x 1536"."""
    rows, inner, columns = map(int, shape.split(" x "))
    states = torch.randn(rows, inner, device=device).to(DTYPES[precision])
    placed = {"device": device, "dtype": DTYPES[precision], "bias": False}
    layers = [kind(inner, columns, **placed) for kind in (nn.Linear, Linear)]
    seconds_each = min(_fastest(layer, states, seconds / len(layers)) for layer in layers)
    return 2e-9 * rows * inner * columns / seconds_each


def _fastest(layer: nn.Linear, states: Tensor, seconds: float) -> float:
    """Shortest of several times, in seconds a product."""
    calls = 20 if states.is_cuda else 1  # a GPU's product is shorter than the wait for it
    _product(layer, states, 2)
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        started = time.perf_counter()
        _product(layer, states, calls)
        times.append((time.perf_counter() - started) / calls)
    return min(times)


def _product(layer: nn.Linear, states: Tensor, calls: int) -> None:
    for _ in range(calls):
        layer(states)
    synchronise()
