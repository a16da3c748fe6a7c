"""The linear layer by oneDNN against torch's, and where it is taken."""

import pytest
import torch
import torch.nn.functional as F

from muver.io import processor
from muver.retriever.encoders import linear
from muver.retriever.encoders.bert import Bert, BertConfig
from muver.retriever.encoders.bulk import pack
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
def test_a_tower_s_states_are_the_same_either_way(monkeypatch):
    torch.manual_seed(4)
    sizes = {"hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20}
    tower = Bert(BertConfig(vocab_size=40, num_hidden_layers=2, **sizes)).eval()
    batch, found = pack([[5, 9, 6], [5, 30, 31, 6]]), []
    for either in (True, False):
        monkeypatch.setattr(linear, "by_onednn", lambda either=either: either)
        tower.zero_grad()
        states, firsts = tower.states(batch), tower.first_states(batch)
        assert states.shape == (7, 12)
        (states.square().sum() + firsts.sum()).backward()
        found.append((states, firsts, *(weight.grad.clone() for weight in tower.parameters())))
    for ours, expected in zip(*found, strict=True):
        torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows, expected", [(1, 64), (64, 64), (65, 128)])
def test_rows_are_filled_with_zeros(rows, expected):
    found = linear.filled(torch.ones(rows, 2))
    assert found.tolist() == [[1, 1]] * rows + [[0, 0]] * (expected - rows)


def test_half_precision_is_torch_s(monkeypatch):
    monkeypatch.setattr(linear, "by_onednn", lambda: True)
    layer, states = Linear(6, 5), torch.randn(9, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(states).dtype == torch.bfloat16


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
