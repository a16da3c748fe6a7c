"""Middleware around all routes: bodies are bounded, and each request is counted and logged.

uvicorn's own limit, of connections, would let slow clients keep everybody out.
"""

import asyncio
import os
import resource
import time
import traceback
from collections.abc import Collection
from typing import Any

from fastapi.responses import JSONResponse
from h11 import LocalProtocolError
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.kb.serve import Limits
from muver.kb.serve.waiting import Busy

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
CLOSE = {"Connection": "close"}
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


class Metrics:
    """Counts and times for Prometheus, in a registry of each service's own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)  # on Linux only
        labels = ("method", "route", "status")
        self.requests = Counter("muver_requests", "Requests", labels, registry=registry)
        self.seconds = Histogram(
            "muver_request_seconds", "Their times", ("route",), buckets=SECONDS, registry=registry
        )
        self.mentions = Counter("muver_mentions", "Mentions ranked", ("model",), registry=registry)
        self.in_hand = Gauge("muver_requests_in_hand", "Requests in hand", registry=registry)
        self.waiting = Gauge("muver_waiting_tokens", "Tokens that wait", registry=registry)
        self.generation = Gauge(
            "muver_generation", "Of an index, since it was made", ("model",), registry=registry
        )


class Gone(HTTPException):
    """The client has gone away: an answer for logs and metrics alone."""

    def __init__(self) -> None:
        super().__init__(499, "the client has gone away.")


class Bodies:
    """Bounds the length of a body, the time it takes to come, and the bytes of all together.

    A route that reads no body is never refused here.
    """

    def __init__(self, app: ASGIApp, limits: Limits):
        self._app, self._limits = app, limits
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        limits, longest = self._limits, self._limits.body_kb * 1024
        headers = Headers(scope=scope)
        if "content-length" in headers and "transfer-encoding" in headers:
            # Whoever stands before the service may see another end of the body.
            why = {"detail": "a length and chunks: expected one of the two."}
            return await JSONResponse(why, 400, CLOSE)(scope, receive, send)
        length = int(headers.get("content-length", 0))
        end = asyncio.get_running_loop().time() + limits.seconds
        received, more = 0, True

        async def bounded() -> Message:
            nonlocal received, more
            if not more:
                return await receive()
            message: Message = {}
            try:
                async with asyncio.timeout_at(end):
                    if length <= longest:
                        message = await receive()
            except TimeoutError:
                why = f"the request did not come within {limits.seconds} seconds."
                raise HTTPException(408, why) from None
            if message.get("type") == "http.disconnect":
                raise Gone()
            size = len(message.get("body", b""))
            received, self._held = received + size, self._held + size
            if max(received, length) > longest:
                why = f"the body may have {limits.body_kb} KB at most."
                raise HTTPException(413, f"{why} Send fewer mentions at a time.")
            if self._held > limits.requests * longest:
                raise Busy()
            more = message.get("more_body", False)
            return message

        try:
            await self._app(scope, bounded, send)
        finally:
            self._held -= received


class Notes:
    """Counts, times and logs each request, and answers where a route failed.

    Routes have their pattern in place of the client's path, and errors are logged without their
    message, since both may have a client's texts in them.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics):
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began, status = time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            with self._metrics.in_hand.track_inprogress():
                await self._app(scope, receive, noted)
        except asyncio.CancelledError:  # the service ends, and this took too long
            if not status:
                why = {"detail": "the service ends. Come again when it is there."}
                await JSONResponse(why, 503)(scope, receive, noted)
        except LocalProtocolError:  # uvicorn has refused the rest of the request meanwhile
            status = 400
        except Exception as error:
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s\n%s", type(error).__name__, frames)
            if not status:
                why = {"detail": "something went wrong here; the service's log says where."}
                await JSONResponse(why, 500)(scope, receive, noted)
        finally:
            seconds = time.monotonic() - began
            route = getattr(scope.get("route"), "path", "other").replace(":path", "")
            method = scope["method"] if scope["method"] in METHODS else "other"
            self._metrics.requests.labels(method, route, status).inc()
            self._metrics.seconds.labels(route).observe(seconds)
            logger.info("%s %s: %d in %.0f ms", method, route, status, 1000 * seconds)


SPARE = 16  # files beside connections
FEWEST = 8
WARN_EVERY = 60  # seconds between two lines of the log


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
    """A connection that knows since when nothing came; ``most`` is how many there may be. The rest
    is what :func:`sweep` has seen: the last request, and since when nothing is done for it.
    """

    most: int
    warned = -WARN_EVERY
    seen: Any = None

    def connection_made(self, transport: Any) -> None:
        self.since = self.idle_since = time.monotonic()
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
        idle = (c for c in self.connections if c.idle and not c.transport.is_closing())
        min(idle, key=lambda c: c.since, default=self).transport.abort()
        if self.since - type(self).warned >= WARN_EVERY:
            type(self).warned = self.since
            logger.warning(
                "%d connections, as many as the limit of open files allows (ulimit -n): those "
                "that do nothing are ended, the oldest first", self.most,
            )  # fmt: skip


async def sweep(connections: Collection[Connection], seconds: float) -> None:
    """End connections that do nothing, or do not take their answer, for too long; called every
    second. uvicorn has a limit only between two requests.
    """
    now = time.monotonic()
    for connection in list(connections):
        cycle, waits = connection.cycle, connection.transport.get_write_buffer_size()
        works = cycle is not None and not cycle.response_complete and not waits
        if works or cycle is not connection.seen:
            connection.seen, connection.idle_since = cycle, now
        elif now - connection.idle_since > seconds:
            connection.transport.abort()
