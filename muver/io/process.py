"""How the process of a command starts sooner, and how a signal ends it."""

import atexit
import gc
import io
import os
import select
import signal
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

OBJECTS = 50_000
HEARD = 200  # milliseconds in which a signal is heard that came right before a read
AT_ONCE = 1 << 20  # bytes


def collect_seldom() -> None:
    """Collect garbage only after ``OBJECTS`` new objects (Python: 700), and not at exit.

    Loading torch makes hundreds of thousands of objects that stay, and scanning them again and
    again takes a quarter of a short stage.
    """
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)


class _Hidden(MetaPathFinder, Loader):
    """Finds one package, which then cannot be loaded."""

    def __init__(self, name: str):
        self.name = name

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        raise ImportError(f"{self.name} is hidden from this command.", name=self.name)


def hide(name: str) -> None:
    """Let every import of a package fail in this process, if it is not loaded yet.

    With its first array pyarrow loads pandas, which takes as long as all else that a short stage
    loads, and goes without it where it cannot be loaded.
    """
    sys.meta_path.insert(0, _Hidden(name))


ENDING = (signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """A signal came that ends the process; ``status`` is the one that a shell gives it."""

    def __init__(self, number: int):
        self.status = 128 + number
        super().__init__(signal.Signals(number).name)


def stop_at_signals() -> None:
    """From now on these signals raise :class:`Stopped`; again, or in a copy of the process, they
    kill as always. One that is ignored, as by nohup, stays so.
    """
    us = os.getpid()

    def stop(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        if os.getpid() != us:
            signal.raise_signal(number)
        raise Stopped(number)

    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def end_as_always() -> None:
    """From now on these signals kill again: the work is done, and nothing is left to put away."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


class Listening(io.FileIO):
    """A file or a pipe; a signal that comes right before a read does not wait for the next data."""

    def readinto(self, buffer: Any) -> int | None:
        poll = select.poll()
        poll.register(self, select.POLLIN)
        while not poll.poll(HEARD):
            pass
        return super().readinto(buffer)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: io.RawIOBase.read(self, AT_ONCE), b""))


def listening(file: Path | int) -> io.BufferedReader:
    """The bytes of a file, or of one that is open, which stays so."""
    return io.BufferedReader(Listening(file, closefd=not isinstance(file, int)), AT_ONCE)
