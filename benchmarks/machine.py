"""Describes the machine of a benchmark."""

import os
import platform
from pathlib import Path

import torch

from muver.settings.precision import fast_at_bf16


def cpu_model() -> str:
    """The processor's name, if the system has it."""
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def device_name(device: str) -> str:
    """The GPU's name, or the processor's."""
    return torch.cuda.get_device_name(0) if device == "cuda" else cpu_model()


def fast_precisions(device: str) -> tuple[str, ...]:
    """fp32, and bf16 where ``compute.precision: auto`` stands for it, or on any GPU."""
    return ("fp32", "bf16") if device == "cuda" or fast_at_bf16("cpu") else ("fp32",)


def describe(device: str, threads: int) -> dict[str, str]:
    """Properties of the machine by name."""
    import transformers

    return {
        "device": device_name(device),
        "CPU": cpu_model(),
        "cores": str(os.cpu_count()),
        "threads": str(threads),
        "vector instructions": torch.backends.cpu.get_cpu_capability(),
        "fast in bf16": "yes" if "bf16" in fast_precisions(device) else "no",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "Python": platform.python_version(),
    }


def _cpuinfo(key: str) -> str | None:
    path = Path("/proc/cpuinfo")
    if not path.is_file():
        return None
    for line in path.read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None
