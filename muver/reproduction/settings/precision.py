"""What ``auto`` stands for as a precision: bf16 where this machine is fast at it, else fp32.

It is settled when settings are resolved and not in a stage, so that a row's key holds the precision
that was used. Settings are resolved without torch, so the machine is asked by other means; where
they leave a doubt, the answer is fp32.
"""

import os
import subprocess
from importlib import metadata
from pathlib import Path

from msgspec.structs import replace

from muver.io import processor
from muver.retriever.encoders.encoders_settings import Compute

KEYS = ("precision", "training_precision")
NVIDIA = (Path("/proc/driver/nvidia/version"), Path("/dev/nvidia0"))
# Instructions for products of bf16: matrix units, or AVX-512's alone. With the latter, on an AMD
# EPYC, bf16 was 1.7 times as fast as fp32 in encoding and in a training step (docs/performance.md).
CPU_FLAGS = {"amx_bf16", "avx512_bf16"}
CAPABILITY = 8.0  # of the first GPUs with bf16 matrix units


def settle_precision(compute: Compute) -> Compute:
    """The section ``compute`` with a precision of this machine in place of each ``auto``."""
    asked = [key for key in KEYS if getattr(compute, key) == "auto"]
    if not asked:
        return compute
    best = "bf16" if fast_at_bf16(compute.device) else "fp32"
    return replace(compute, **dict.fromkeys(asked, best))


def fast_at_bf16(device: str) -> bool:
    """Whether the device that ``compute.device`` leads to multiplies faster in bf16.

    A CUDA GPU is if its compute capability is 8 or more (all GPUs', as any may be taken), a CPU if
    it has AMX or AVX-512's products of bf16.
    """
    if device != "cpu" and _torch_may_use_gpus():
        return _lowest_capability() >= CAPABILITY
    return device != "cuda" and not CPU_FLAGS.isdisjoint(processor.flags())


def _torch_may_use_gpus() -> bool:
    """Whether there is a GPU which is not hidden, and a build of torch that could use it."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "all").strip() in ("", "-1")
    there = any(path.exists() for path in NVIDIA)
    return there and not hidden and not metadata.version("torch").endswith("+cpu")


def _lowest_capability() -> float:
    """Of this machine's GPUs; 0 if it cannot be told."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=60, check=True)
        return min(map(float, done.stdout.split()), default=0.0)
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0.0
