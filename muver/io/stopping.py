"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it had begun is put away."""

import os
import signal
from types import FrameType

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
