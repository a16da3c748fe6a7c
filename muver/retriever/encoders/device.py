"""The one place that decides on device, precision, threads and the size of batches."""

import ctypes
from pathlib import Path
from typing import TypeVar

import torch
from accelerate import Accelerator
from torch import nn

from muver.io.errors import InputError

MIXED_PRECISION = {"fp32": "no", "bf16": "bf16"}
# Tokens of a batch: small enough for a processor's caches, large enough to fill a GPU.
BATCH_TOKENS = {"cpu": 2048, "cuda": 131072}
M = TypeVar("M")
MINILM = 10_646_784  # weights of all-MiniLM-L6-v2 outside of its embeddings
LEAST = 0.2  # that a tower takes, however small
MMAP_MAX, TRIM_THRESHOLD = -4, -1  # options of mallopt, from the GNU C library's malloc.h


def start(device: str, precision: str, threads: int) -> Accelerator:
    """Set the threads, keep freed memory, and make the accelerator of this process.

    Under ``torchrun`` every process calls this and joins the group by itself. The device ``auto``
    is CUDA where there is one, else the CPU, as nothing here knows others. ``auto`` precisions have
    been settled before (:mod:`muver.reproduction.settings.precision`). Sums are split among
    threads, so the number of threads moves last digits: that is why it is a setting, not the
    machine's number of cores.
    """
    if precision not in MIXED_PRECISION:
        raise InputError(f"precision: {precision!r} is not one of {', '.join(MIXED_PRECISION)}.")
    torch.set_num_threads(threads)
    keep_freed_memory()
    cuda = torch.cuda.is_available()
    if device == "cuda" and not cuda:
        raise InputError(
            "compute.device is 'cuda', but torch sees no CUDA device here. Set it to 'auto' or "
            "'cpu', or install the CUDA build (make setup GPU=1)."
        )
    # cuDNN builds a plan for each shape of attention that is new, up to a second each, and packed
    # sequences bring new ones in most steps.
    torch.backends.cuda.enable_cudnn_sdp(False)
    on_cpu = device == "cpu" or not cuda
    return Accelerator(cpu=on_cpu, mixed_precision=MIXED_PRECISION[precision])


def load_model(folder: Path, kind: type[M]) -> M:
    """A model to be used as it is, on the GPU if there is one."""
    model = kind.from_pretrained(folder).eval()
    return model.to("cuda" if torch.cuda.is_available() else "cpu")


def weight_of(tower: nn.Module) -> float:
    """How many times as long as all-MiniLM-L6-v2 a tower takes to read a word piece, by the number
    of weights that each piece is multiplied with.
    """
    tables = {id(module.weight) for module in tower.modules() if isinstance(module, nn.Embedding)}
    weights = sum(weight.numel() for weight in tower.parameters() if id(weight) not in tables)
    return max(weights / MINILM, LEAST)


def batch_tokens(asked: int | str, device: torch.device) -> int:
    """Tokens to encode at once; ``auto`` means what suits the device."""
    return BATCH_TOKENS[device.type] if asked == "auto" else int(asked)


def keep_freed_memory() -> None:
    """Let this process keep the memory of freed tensors for new ones.

    The GNU C library returns large blocks to the kernel, which clears every page before handing it
    out again. A batch frees all that it computed: a tenth of the processor time of encoding went
    there, and a tenth to a half of a training step's. The price is up to a third more memory in
    training, in gaps between blocks of different sizes. Other C libraries are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, -1)
