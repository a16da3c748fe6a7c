"""What ``auto`` stands for, on machines that are made up."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from muver.io import processor
from muver.reproduction.settings import precision
from muver.reproduction.settings.precision import fast_at_bf16, settle_precision
from muver.retriever.encoders.encoders_settings import Compute
from tests import tiny

AMX = "processor\t: 0\nflags\t\t: fpu avx512_bf16 amx_bf16 amx_tile\n"
AVX = "processor\t: 0\nflags\t\t: fpu avx2 avx512f\nbugs\t\t: amx_bf16\n"
AVX_BF16 = "processor\t: 0\nflags\t\t: fpu avx2 avx512_bf16\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a machine: its cpuinfo, what nvidia-smi prints (None: not there), torch's version."""

    def make(cpuinfo: str = AVX, gpu: bool = False, smi: str | None = None, torch: str = "2.0"):
        (tmp_path / "cpuinfo").write_text(cpuinfo)
        monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
        monkeypatch.setattr(precision, "NVIDIA", (tmp_path / "none", tmp_path / "nvidia0"))
        if gpu:
            (tmp_path / "nvidia0").touch()
        if smi is not None:
            (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{smi}\n")
            (tmp_path / "nvidia-smi").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        monkeypatch.setattr("importlib.metadata.version", lambda name: torch)

    return make


@pytest.mark.parametrize(
    "made, device, fast",
    [
        ({"cpuinfo": AMX}, "auto", True),
        ({"cpuinfo": AMX}, "cpu", True),
        ({"cpuinfo": AMX}, "cuda", False),  # there is none, which the stage says
        ({"cpuinfo": AVX_BF16}, "auto", True),
        ({"cpuinfo": AVX}, "auto", False),
        ({"cpuinfo": ""}, "auto", False),
        ({"gpu": True, "smi": "echo 8.0"}, "auto", True),
        ({"gpu": True, "smi": "echo 9.0; echo 8.6"}, "cuda", True),
        ({"gpu": True, "smi": "echo 10.3"}, "cuda", True),
        ({"gpu": True, "smi": "echo 9.0; echo 7.5"}, "cuda", False),
        ({"gpu": True, "smi": "echo 8.0"}, "cpu", False),
        ({"gpu": True, "smi": "echo 7.0", "cpuinfo": AMX}, "auto", False),
        ({"gpu": True, "smi": "echo 7.0", "cpuinfo": AMX}, "cpu", True),
        # What cannot be told: the driver is too old to say, says nothing, fails, or is not there
        ({"gpu": True, "smi": "echo '[N/A]'", "cpuinfo": AMX}, "auto", False),
        ({"gpu": True, "smi": "true", "cpuinfo": AMX}, "auto", False),
        ({"gpu": True, "smi": "echo 9.0; exit 9", "cpuinfo": AMX}, "auto", False),
        ({"gpu": True, "cpuinfo": AMX}, "auto", False),
        # A build of torch that sees no GPU computes on the CPU
        ({"gpu": True, "smi": "echo 9.0", "torch": "2.13.0+cpu"}, "auto", False),
        ({"gpu": True, "smi": "echo 9.0", "torch": "2.13.0+cu130"}, "auto", True),
    ],
)
def test_where_a_machine_is_fast(machine, made, device, fast):
    machine(**made)
    assert fast_at_bf16(device) is fast


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_hidden_gpus_do_not_count(machine, monkeypatch, hidden):
    machine(gpu=True, smi="echo 9.0")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    assert fast_at_bf16("auto") is False
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert fast_at_bf16("auto") is True


def test_a_system_without_cpuinfo(machine, monkeypatch, tmp_path):
    machine()
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "missing")
    assert fast_at_bf16("auto") is False


def test_only_auto_is_settled(machine):
    machine(AMX)
    compute = tiny.settings(Compute, precision="auto", training_precision="fp32")
    assert settle_precision(replace(compute, device="auto")) == replace(
        compute, device="auto", precision="bf16"
    )
    machine(AVX)
    both = replace(compute, training_precision="auto")
    assert settle_precision(both) == replace(compute, precision="fp32")


def test_what_is_written_out_asks_no_machine(monkeypatch):
    monkeypatch.setattr(precision, "fast_at_bf16", None)
    compute = tiny.settings(Compute, precision="bf16", training_precision="fp32")
    assert settle_precision(compute) == compute


def test_torch_is_not_imported():
    """In a process of its own, on this machine as it is."""
    script = (
        "import sys; from muver.reproduction.settings.precision import fast_at_bf16; "
        "fast_at_bf16('auto'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
