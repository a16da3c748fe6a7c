"""Work in a process of its own, whose time and memory are bounded."""

import os
import resource
import signal
import tempfile
import traceback
from collections.abc import Callable
from typing import NamedTuple

from muver.io.errors import InputError

SECONDS, BYTES = 60, 3 << 30  # of processor time, and of memory beyond what is there already
TOLD = 2  # exit status of a mistake told in words, as the command line has it


class Ended(NamedTuple):
    """How a child ended, and what it said."""

    code: int  # negative: the signal that ended it
    said: str

    @property
    def crash(self) -> str:
        """In words, unless it ended well or with a mistake told in words."""
        if self.code in (0, TOLD) and "Traceback" not in self.said:
            return ""
        how = f"ended by {signal.Signals(-self.code).name}" if self.code < 0 else "traceback"
        return f"{how}: {self.said[-500:]}"


def bounded(work: Callable[[], object]) -> Ended:
    """Do some work in a copy of this process; what it returns, if a number, is its status."""
    with tempfile.TemporaryFile() as said:
        if not (child := os.fork()):
            code = 1
            try:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                with open("/proc/self/statm") as memory:
                    there = int(memory.read().split()[0]) * resource.getpagesize()
                resource.setrlimit(resource.RLIMIT_AS, (there + BYTES, there + BYTES))
                resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                done = work()
                code = done if isinstance(done, int) else 0
            except InputError as error:
                os.write(1, f"error: {error}".encode("utf-8", "replace"))
                code = TOLD
            except BaseException:
                os.write(1, traceback.format_exc().encode("utf-8", "replace"))
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return Ended(os.waitstatus_to_exitcode(status), said.read().decode("utf-8", "replace"))
