"""Describes the machine of a benchmark."""

import os
import platform

import torch

from muver.io import processor
from muver.reproduction.settings.precision import fast_at_bf16


def device_name(device: str) -> str:
    """The GPU's name, or the processor's."""
    return torch.cuda.get_device_name(0) if device == "cuda" else processor.name()


def fast_precisions(device: str) -> tuple[str, ...]:
    """fp32, and bf16 where ``compute.precision: auto`` stands for it or on any GPU."""
    return ("fp32", "bf16") if device == "cuda" or fast_at_bf16("cpu") else ("fp32",)


def describe(device: str, threads: int) -> dict[str, str]:
    """Properties of the machine by name."""
    import transformers

    return {
        "device": device_name(device),
        "CPU": processor.name(),
        "cores": str(os.cpu_count()),
        "threads": str(threads),
        "vector instructions": torch.backends.cpu.get_cpu_capability(),
        "fast in bf16": "yes" if "bf16" in fast_precisions(device) else "no",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "Python": platform.python_version(),
    }
