"""Stands before the application: bounds what a client may send, and how long it may take.

An application behind it gets a request whole. A client that goes away ends its request.
"""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from muver.io.progress import logger
from muver.serve.metrics import Metrics
from muver.serve.settings import Limits

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

GONE = 499  # what logs and metrics say of clients that went away


class _Refused(Exception):
    def __init__(self, status: int, why: str):
        self.status, self.why = status, why


class _Gone(Exception):
    pass


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: App, limits: Limits, metrics: Metrics):
        self._app, self._limits, self._metrics = app, limits, metrics
        self.in_hand = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; the application's start and end are passed on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began = time.monotonic()
        answer = _Answer(send)
        self.in_hand += 1
        try:
            await self._serve(scope, receive, answer)
        except _Refused as refused:
            await answer.say(refused.status, refused.why)
        except _Gone:
            answer.status = GONE
        except Exception as error:
            # The message is left out, since it may have a client's texts in it.
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s\n%s", type(error).__name__, frames)
        finally:
            self.in_hand -= 1
            self._note(scope, answer.status, time.monotonic() - began)

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        if self.in_hand > self._limits.requests:
            raise _Refused(429, f"{self._limits.requests} requests are in hand. Come again.")
        body = await self._body(scope, receive)
        rest = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def whole() -> Message:
            return next(rest, None) or await receive()

        serving = asyncio.ensure_future(self._app(scope, whole, answer))
        gone = asyncio.ensure_future(_end(receive))
        try:
            await asyncio.wait({serving, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done() and not answer.whole:
                raise _Gone
            await serving
        finally:
            for task in (serving, gone):
                task.cancel()
            await asyncio.gather(serving, gone, return_exceptions=True)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The body of a request, unless it is too long or takes too long."""
        most = self._limits.body_kb * 1024
        why = f"the body may have {self._limits.body_kb} KB at most. Send fewer mentions at a time."
        if int(dict(scope["headers"]).get(b"content-length", 0)) > most:
            raise _Refused(413, why)
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.seconds):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _Gone
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > most:
                        raise _Refused(413, why)
        except TimeoutError:
            seconds = self._limits.seconds
            raise _Refused(408, f"the request did not come within {seconds} seconds.") from None
        return bytes(body)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        """A line of the log, with the route's pattern in place of the client's path."""
        route = getattr(scope.get("route"), "path", "other").replace(":path", "")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._metrics.count(
            "muver_requests_total", method=method, route=route, status=str(status)
        )  # fmt: skip
        self._metrics.time("muver_request_seconds", seconds, route=route)
        logger.info("%s %s: %d in %.0f ms", method, route, status, 1000 * seconds)


METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


class _Answer:
    """Passes an answer on, and knows how far it is."""

    def __init__(self, send: Send):
        self._send = send
        self.status = 0
        self.whole = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.whole = True

    async def say(self, status: int, why: str) -> None:
        """Answer with a sentence, unless an answer began already."""
        if self.status:
            return
        from starlette.responses import JSONResponse

        headers = {"Retry-After": "1"} if status == 429 else {}
        answer = JSONResponse({"detail": why}, status, headers)
        await answer({"type": "http"}, _nothing, self)


async def _nothing() -> Message:
    raise RuntimeError("an answer of the guard reads no request")


async def _end(receive: Receive) -> None:
    """Return when the client has gone, or has its answer."""
    while (await receive())["type"] != "http.disconnect":
        continue
