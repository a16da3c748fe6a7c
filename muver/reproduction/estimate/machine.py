"""This machine: its memory, disk, cores and GPUs, and how fast it is taken to encode and train."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

from muver.retriever.encoders.settings import Compute
from muver.retriever.encoders.sizes import BertConfig

# Operations a second of a processor's thread: with AVX-512 the default preset's trainings reached
# 5e10 to 9e10, two beside each other. That of a GPU is assumed for BERT-base; with a small encoder
# an H200 reached 2e12 to 6e12 (docs/reproduce.md).
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
    """The machine this runs on, with Snakemake's cores; the folder need not exist yet."""
    from snakemake.utils import available_cpu_count

    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    return Machine(
        folder=str(folder),
        memory=psutil.virtual_memory().total,
        room=psutil.disk_usage(str(existing)).free,
        cores=available_cpu_count(),
        gpus=sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia*")),
    )


class Rates(NamedTuple):
    """Tokens a second of one job that has the machine's threads, or its GPU, to itself."""

    encoding: float
    training: float  # forward and backward


def operations(encoder: BertConfig) -> int:
    """Operations to encode a token: the products of the layers, ``2 L (4 H^2 + 2 H I)``."""
    h, i = encoder.hidden_size, encoder.intermediate_size
    return 2 * encoder.num_hidden_layers * (4 * h * h + 2 * h * i)


def assumed(encoder: BertConfig, compute: Compute, gpu: bool) -> Rates:
    """Rates before any job is done; training a token takes as long as encoding three."""
    tokens = (GPU if gpu else THREAD * compute.threads) / operations(encoder)
    return Rates(tokens, tokens / 3)
