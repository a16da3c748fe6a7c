"""Device, precision, threads, memory."""

import ctypes
import multiprocessing
import platform
import resource

import numpy as np
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


def faults() -> int:
    """Page faults of a step that frees all it has computed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    states = [np.ones(125_000 * (1 + layer % 3)) for layer in range(40)]
    assert len(states) == 40
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def later_faults(results) -> None:
    """Of later steps as a share of the first's: by the C library's own settings, then kept."""
    mallopt = ctypes.CDLL(None).mallopt
    for options in ({device.MMAP_MAX: 65536, device.TRIM_THRESHOLD: 1 << 17}, {}):
        device.keep_freed_memory()
        for option, value in options.items():
            mallopt(option, value)
        first, *others = [faults() for _ in range(4)]
        results.send(sum(others) / (1 + first))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_freed_memory_is_used_again():
    results, of_process = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=later_faults, args=(of_process,))
    process.start()
    given_back, kept = results.recv(), results.recv()
    process.join()
    assert kept < given_back / 2  # how much goes back to the kernel differs from run to run
