"""Connections: there are never more than the system's limit of open files allows, and one that does
nothing, or does not take its answer, is ended.
"""

import os
import resource
import time
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from muver.io.errors import InputError
from muver.io.progress import logger

if TYPE_CHECKING:
    from uvicorn.server import ServerState

SPARE = 16  # files beside connections
FEWEST = 8
TOLD = 60  # seconds between two lines of the log


def room() -> tuple[int, int]:
    """How many connections there may be, and how many may wait to be taken.

    Connections are taken in up to three lots of the latter before one of them can be ended.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    waiting = min(max(limit // 16, FEWEST), 128)
    most = limit - len(os.listdir("/dev/fd")) - SPARE - 3 * (waiting + 1)
    if most < FEWEST:
        raise InputError(f"ulimit -n: {limit} open files are too few for a service. Allow 256.")
    return most, waiting


class Connection(H11Protocol):
    """A connection that knows since when nothing came; ``most`` is how many there may be."""

    most: int
    told = -TOLD

    def connection_made(self, transport: Any) -> None:
        self.since = time.monotonic()
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._end_one()

    def data_received(self, data: bytes) -> None:
        self.since = time.monotonic()
        super().data_received(data)

    @property
    def idle(self) -> bool:
        """Whether no request is in hand, or none that has come whole."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _end_one(self) -> None:
        """End the connection that does nothing for the longest time, or this one if all do."""
        idle = (one for one in self.connections if one.idle and not one.transport.is_closing())
        min(idle, key=lambda one: one.since, default=self).transport.abort()
        if self.since - type(self).told >= TOLD:
            type(self).told = self.since
            logger.warning(
                "%d connections, as many as the limit of open files allows (ulimit -n): those "
                "that do nothing are ended, the oldest first", self.most,
            )  # fmt: skip


class Sweep:
    """Ends connections that do nothing, or do not take their answer, for too long.

    uvicorn has a limit only between two requests.
    """

    def __init__(self, state: "ServerState", seconds: float):
        self._state, self._seconds = state, seconds
        self._since: dict[object, tuple[object, float]] = {}

    async def __call__(self) -> None:
        """Look at all connections; called every second."""
        now = time.monotonic()
        since = {}
        for one in list(self._state.connections):
            cycle = getattr(one, "cycle", None)
            idle = cycle is None or cycle.response_complete
            if not idle and not one.transport.get_write_buffer_size():
                continue
            known, began = self._since.get(one, (cycle, now))
            since[one] = (cycle, began if known is cycle else now)
            if now - since[one][1] > self._seconds:
                one.transport.abort()
        self._since = since
