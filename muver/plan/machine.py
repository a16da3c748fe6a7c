"""The machine that is planned for: its memory, its disk, its GPUs."""

import os
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Machine:
    """What is there.

    Attributes
    ----------
    folder
        Where the workspace is to be.
    memory
        Bytes of main memory.
    room
        Bytes of disk for the workspace: free ones, and those of what lies in the folder already.
    cores, gpus
        How many.
    """

    folder: str
    memory: int
    room: int
    cores: int
    gpus: int


def this_machine(folder: Path) -> Machine:
    """The machine this runs on; the folder need not exist yet."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return Machine(
        folder=str(folder),
        memory=psutil.virtual_memory().total,
        room=psutil.disk_usage(str(place)).free + held(folder),
        cores=os.cpu_count() or 1,
        gpus=sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia*")),
    )


def held(folder: Path) -> int:
    """Bytes of the files below a folder, links not followed; 0 if there is none."""
    return sum(
        os.lstat(os.path.join(place, name)).st_size
        for place, _, names in os.walk(folder)
        for name in names
    )
