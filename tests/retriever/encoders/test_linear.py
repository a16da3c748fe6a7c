"""The linear layer by oneDNN against torch's, and where it is taken."""

import pytest
import torch
import torch.nn.functional as F

from muver.io import processor
from muver.retriever.encoders import linear
from muver.retriever.encoders.linear import Linear

INPUTS = {
    "rows": lambda: torch.randn(9, 6),
    "one row": lambda: torch.randn(1, 6),
    "sequences": lambda: torch.randn(3, 4, 6),
    "rows with gaps": lambda: torch.randn(5, 4, 6)[:, 0],
}


WITH_ONEDNN = pytest.mark.skipif(
    not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="a torch without oneDNN"
)


@WITH_ONEDNN
@pytest.mark.parametrize("states", INPUTS)
def test_values_and_gradients_are_torch_s(states, monkeypatch):
    monkeypatch.setattr(linear, "by_onednn", lambda: True)
    torch.manual_seed(4)
    layer, own = Linear(6, 5), INPUTS[states]()
    found = []
    for forward in (layer, lambda given: F.linear(given, layer.weight, layer.bias)):
        given = own.clone(memory_format=torch.preserve_format).requires_grad_()
        layer.zero_grad()
        result = forward(given)
        (result.square().sum()).backward()
        found.append((result, given.grad, layer.weight.grad.clone(), layer.bias.grad.clone()))
    for ours, expected in zip(*found, strict=True):
        torch.testing.assert_close(ours, expected)


@WITH_ONEDNN
@pytest.mark.parametrize("precision, by_onednn", [("highest", True), ("medium", False)])
def test_products_are_torch_s_and_by_onednn_in_whole_float32(precision, by_onednn, monkeypatch):
    torch.manual_seed(4)
    rows, others = torch.randn(9, 6), torch.randn(5, 6)
    expected, taken = rows @ others.T, []
    monkeypatch.setattr(linear, "by_onednn", lambda: taken.append(True) or True)
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision(precision)
        found = linear.products(rows, others)
    finally:
        torch.set_float32_matmul_precision(before)
    assert bool(taken) == by_onednn
    torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2 if not by_onednn else 1e-6)


@pytest.mark.parametrize("rows, expected", [(1, 64), (64, 64), (65, 128)])
def test_rows_are_filled_with_zeros(rows, expected):
    found = linear.filled(torch.ones(rows, 2))
    assert found.tolist() == [[1, 1]] * rows + [[0, 0]] * (expected - rows)


@pytest.mark.parametrize(
    "capability, vendor, taken",
    [
        ("AVX512", "AuthenticAMD", True),
        ("AVX512", "GenuineIntel", False),
        ("AVX2", "AuthenticAMD", False),
    ],
)
def test_it_is_taken_on_amd_s_processors_with_avx_512(
    capability, vendor, taken, monkeypatch, tmp_path
):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"vendor_id\t: {vendor}\n")
    monkeypatch.setattr(processor, "CPUINFO", cpuinfo)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert linear.by_onednn.__wrapped__() is taken
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert not linear.by_onednn.__wrapped__()
