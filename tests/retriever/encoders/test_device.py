"""Device, precision, threads, memory."""

import platform
import subprocess
import sys

import pytest
import torch
from accelerate.state import AcceleratorState

from muver.io.errors import InputError
from muver.retriever.encoders import device


def test_the_settings_are_followed():
    before = torch.get_num_threads()
    try:
        accelerator = device.start("cpu", "fp32", 3)
        assert torch.get_num_threads() == 3
        assert accelerator.device.type == "cpu" and accelerator.mixed_precision == "no"
        assert not torch.backends.cuda.cudnn_sdp_enabled()
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("name", "precision", "said"),
    [
        ("cuda", "fp32", "compute.device is 'cuda'.*make setup GPU=1"),  # which is not there
        ("cpu", "fp16", "precision: 'fp16' .* fp32, bf16"),
    ],
)
def test_what_this_machine_has_not(monkeypatch, name, precision, said):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match=said):
        device.start(name, precision, 1)


def test_auto_is_the_processor_where_there_is_no_cuda_device(monkeypatch):
    """Apple's GPU, too, is one that nothing here knows."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("accelerate.state.is_mps_available", lambda: True)
    AcceleratorState._reset_state(True)
    try:
        assert device.start("auto", "fp32", torch.get_num_threads()).device.type == "cpu"
    finally:
        AcceleratorState._reset_state(True)


def test_batches_suit_the_device_unless_a_number_is_given():
    assert device.batch_tokens("auto", torch.device("cpu")) == 2048
    assert device.batch_tokens("auto", torch.device("cuda")) == 131072
    assert device.batch_tokens(300, torch.device("cuda")) == 300


STEPS = """
import os, resource, torch
from muver.retriever.encoders.device import keep_freed_memory
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    states = [torch.ones(250_000 * (1 + layer % 3)) for layer in range(40)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
for keep in (True, False):
    if os.fork() == 0:
        if keep:
            keep_freed_memory()
        first, *others = [faults() for _ in range(4)]
        print(sum(others) / len(others) / first, flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_freed_memory_is_used_again():
    """Page faults of a step that frees all it has computed, as a share of the first step's."""
    command = [sys.executable, "-c", STEPS]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    kept, given_back = map(float, said.split())
    assert kept < 0.1
    assert given_back > 2 * kept  # how much goes back to the kernel differs from run to run
