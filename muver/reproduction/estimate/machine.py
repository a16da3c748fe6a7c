"""This machine: its memory, disk, cores and GPUs, and how fast it encodes and trains."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil

from muver.retriever.encoders.settings import Compute
from muver.retriever.encoders.sizes import BertConfig

LENGTH = 64  # tokens of the sequences that measuring encodes, or all positions of a smaller encoder
SECONDS = 3.0  # that measuring takes at least, of processor time, for each of the two rates
# Operations a second of a processor's thread: with AVX-512 the default preset's trainings reached
# 5e10 to 9e10, two beside each other. That of a GPU is a small one's, as we have never had any.
THREAD, GPU = 7e10, 1.5e13


@dataclass(frozen=True)
class Machine:
    """What the estimates are compared with."""

    folder: str  # where the run writes
    memory: int  # bytes of main memory
    room: int  # bytes of disk that are free for the folder
    cores: int
    gpus: int

    def gives_gpu(self, compute: Compute) -> bool:
        """Whether jobs that run a model get a GPU, which with ``cuda`` may be another machine's."""
        return compute.device == "cuda" or (self.gpus > 0 and compute.device == "auto")

    def at_once(self, compute: Compute) -> int:
        """Jobs that run beside each other with ``--cores all``: one on GPUs, else by threads."""
        if self.gives_gpu(compute):
            return 1
        return max(self.cores // (compute.threads * compute.processes), 1)


def this_machine(folder: Path) -> Machine:
    """The machine this runs on; the folder need not exist yet."""
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    return Machine(
        folder=str(folder),
        memory=psutil.virtual_memory().total,
        room=psutil.disk_usage(str(existing)).free,
        cores=os.cpu_count() or 1,
        gpus=sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia*")),
    )


class Rates(NamedTuple):
    """Tokens a second of one job that has the machine's threads, or its GPU, to itself."""

    encoding: float
    training: float  # forward and backward
    origin: str


def operations(encoder: BertConfig) -> int:
    """Operations to encode a token: the products of the layers, ``2 L (4 H^2 + 2 H I)``."""
    h, i = encoder.hidden_size, encoder.intermediate_size
    return 2 * encoder.num_hidden_layers * (4 * h * h + 2 * h * i)


def assumed(encoder: BertConfig, compute: Compute, gpu: bool) -> Rates:
    """Rates before anything is measured; training a token takes as long as encoding three."""
    speed = GPU if gpu else THREAD * compute.threads
    tokens = speed / operations(encoder)
    return Rates(tokens, tokens / 3, f"assumed, {speed:.2g} operations a second")


def measure(encoder: BertConfig, compute: Compute, seconds: float = SECONDS) -> Rates:
    """Encode and train with random weights and word pieces, by the code that jobs run."""
    import torch

    from muver.retriever.encoders import device
    from muver.retriever.encoders.bert import Bert
    from muver.retriever.encoders.bulk import encode_vectors
    from muver.retriever.encoders.int8 import to_precision
    from muver.retriever.encoders.packing import pack

    accelerator = device.start(compute.device, compute.precision, compute.threads)
    target, size = accelerator.device, encoder.hidden_size
    tower = Bert(encoder).to(target)
    tokens = device.batch_tokens(compute.batch_tokens, target)
    length = min(LENGTH, encoder.max_position_embeddings)
    ids = np.random.default_rng(0).integers(encoder.vocab_size, size=length).tolist()
    batch = [ids] * max(tokens // length, 1)
    bf16 = compute.training_precision == "bf16"

    def encode() -> None:
        with accelerator.autocast():
            encode_vectors(coder.first_states, batch, size, tokens, target)

    def train() -> None:
        with torch.autocast(target.type, torch.bfloat16, enabled=bf16):
            loss = tower.first_states(pack(batch, target)).float().pow(2).mean()
        loss.backward()
        tower.zero_grad(set_to_none=True)
        if target.type == "cuda":
            torch.cuda.synchronize()

    # Beside other programs a processor's own time tells how long the work takes without them.
    threads = compute.threads if target.type == "cpu" else 0
    trained = _calls_a_second(train, seconds, threads)
    coder = to_precision(tower.eval(), compute.precision)
    encoded = _calls_a_second(encode, seconds, threads)
    each = length * len(batch)
    return Rates(each * encoded, each * trained, f"measured just now on {target.type}")


def _calls_a_second(work: Callable[[], None], seconds: float, threads: int) -> float:
    clock = time.process_time if threads else time.perf_counter
    work()  # to warm up
    started, calls = clock(), 0
    while (took := (clock() - started) / max(threads, 1)) < seconds or not calls:
        work()
        calls += 1
    return calls / took
