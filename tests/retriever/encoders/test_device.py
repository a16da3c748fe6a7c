"""Device, precision, threads."""

import pytest
import torch

from muver.io import processor
from muver.io.errors import InputError
from muver.retriever.encoders import device


def test_the_settings_are_followed():
    before = torch.get_num_threads()
    try:
        accelerator = device.start("cpu", "fp32", 3)
        assert torch.get_num_threads() == 3
        assert accelerator.device.type == "cpu" and accelerator.mixed_precision == "no"
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("name", "precision", "said"),
    [
        ("cuda", "fp32", "compute.device is 'cuda'"),  # which is not there
        ("cpu", "fp16", "precision: 'fp16' .* fp32, bf16, int8"),
        ("cpu", "int8", "which this one does not report"),
    ],
)
def test_what_this_machine_has_not(monkeypatch, name, precision, said):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(processor, "flags", lambda: {"avx2"})
    with pytest.raises(InputError, match=said):
        device.start(name, precision, 1)


def test_batches_suit_the_device_unless_a_number_is_given():
    assert device.batch_tokens("auto", torch.device("cpu")) == 2048
    assert device.batch_tokens("auto", torch.device("cuda")) == 131072
    assert device.batch_tokens(300, torch.device("cuda")) == 300
