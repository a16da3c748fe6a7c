"""This machine: its memory, disk, cores and GPUs."""

import os
from dataclasses import dataclass
from pathlib import Path

import psutil

from muver.retriever.encoders.settings import Compute


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
