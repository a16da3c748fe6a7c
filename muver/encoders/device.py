"""The one place that decides on device, precision, threads and the size of batches."""

from typing import Any

import torch
from accelerate import Accelerator

from muver.io.errors import InputError

MIXED_PRECISION = {"fp32": "no", "bf16": "bf16"}
# Tokens of a batch: on a processor its states stay near the cores, a GPU has to be filled.
BATCH_TOKENS = {"cpu": 2048, "cuda": 131072}


def start(settings: dict[str, Any]) -> Accelerator:
    """Set the threads and make the accelerator of this process.

    Parameters
    ----------
    settings
        ``device`` (auto, cpu or cuda), ``precision`` (fp32 or bf16; params.yaml's ``auto`` is
        settled before, by :mod:`muver.settings.precision`), ``threads``. The number of threads is
        a setting and not the machine's: sums are split by it, so it moves last digits.

    Notes
    -----
    Under ``torchrun`` every process calls this and joins the group by itself.
    """
    precision = settings.get("precision")
    if precision not in MIXED_PRECISION:
        raise InputError(f"precision: {precision!r} is not one of {', '.join(MIXED_PRECISION)}.")
    torch.set_num_threads(settings["threads"])
    if settings["device"] == "cuda" and not torch.cuda.is_available():
        raise InputError(
            "compute.device is 'cuda', but torch sees no CUDA device here. Set it to 'auto' or "
            "'cpu', or install the CUDA build (make GPU=1)."
        )
    return Accelerator(cpu=settings["device"] == "cpu", mixed_precision=MIXED_PRECISION[precision])


def batch_tokens(asked: int | str, device: torch.device) -> int:
    """Tokens to encode at once: as many as were asked for, or what suits the device (``auto``)."""
    return BATCH_TOKENS[device.type] if asked == "auto" else int(asked)
