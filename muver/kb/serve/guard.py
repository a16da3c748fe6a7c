"""Middleware around all routes: bodies are bounded, and each request is counted and logged.

uvicorn's own limit, of connections, would let slow clients keep everybody out.
"""

import asyncio
import time
import traceback

from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muver.io.progress import logger
from muver.kb.serve.serve_settings import Limits
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
