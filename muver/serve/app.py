"""The service as an ASGI application: its routes, their errors, and its end."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from muver.index.lock import BeingChanged
from muver.index.opened import NoAnswer
from muver.io.errors import InputError, Mistake
from muver.io.progress import logger
from muver.serve.asking import asking
from muver.serve.changing import changing
from muver.serve.forms import Said
from muver.serve.guard import Guard
from muver.serve.models import Lookout
from muver.serve.pages import pages
from muver.serve.service import Service
from muver.serve.waiting import Busy
from muver.serve.watching import watching
from muver.version import __version__

MESSAGE = 400  # characters of a message that repeats what a client sent


def build_app(service: Service, hosts: Sequence[str] = ("*",)) -> Guard:
    """The application.

    Parameters
    ----------
    hosts
        Names by which browsers may call it. A page elsewhere can't take the service for its own by
        pointing a name of its own at this machine.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        lookout = Lookout(service.models, service.limits.look_seconds)
        yield
        lookout.close()
        service.waiting.close()

    app = FastAPI(
        title="muver",
        version=__version__,
        summary="Entities for mentions in a text.",
        docs_url=None,  # these load their scripts from elsewhere; /docs is our own
        redoc_url=None,
        lifespan=lifespan,
        responses={422: {"model": Said}},  # in place of FastAPI's list of what is wrong
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Mistake, _mistaken)
    app.add_exception_handler(InputError, _prevented)
    app.add_exception_handler(NoAnswer, _unanswered)
    app.add_exception_handler(BeingChanged, _being_changed)
    app.add_exception_handler(Busy, _busy)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    guard = Guard(app, service.limits, service.metrics)
    for router in (asking(service), changing(service), watching(service, guard), pages(app)):
        app.include_router(router)
    return guard


def _said(status: int, why: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    # What a client sent may have halves of characters in it, which no answer can have.
    why = why.encode("utf-8", "backslashreplace").decode("utf-8")
    cut = why if len(why) <= MESSAGE else f"{why[:MESSAGE]}\N{HORIZONTAL ELLIPSIS}"
    return JSONResponse({"detail": cut}, status, headers)


async def _invalid(_: Request, error: Any) -> JSONResponse:
    """Without what was given, as FastAPI would have it: it may be long, or anything."""
    first = error.errors()[0]
    place, *rest = first["loc"]
    where = f"{place} {'.'.join(map(str, rest))}".strip()
    return _said(422, f"{where}: {first['msg']}.")


async def _mistaken(_: Request, error: Any) -> JSONResponse:
    return _said(422, str(error))


async def _unanswered(_: Request, error: Any) -> JSONResponse:
    return _said(503, str(error))


async def _prevented(_: Request, error: Any) -> JSONResponse:
    """By the state of files or of the machine, of which a client is told nothing."""
    logger.error("%s", error)
    return _said(503, "this can't be done now; the service's log says why.")


async def _being_changed(_: Request, error: Any) -> JSONResponse:
    return _said(409, "the index is being changed by another process.", {"Retry-After": "1"})


async def _busy(_: Request, error: Any) -> JSONResponse:
    seconds = max(round(error.seconds), 1)
    why = f"too many requests wait. Come again in {seconds} s."
    return _said(429, why, {"Retry-After": str(seconds)})


async def _refused(_: Request, error: Any) -> JSONResponse:
    return _said(error.status_code, str(error.detail), error.headers)


async def _failed(_: Request, error: Any) -> JSONResponse:
    return _said(500, "something went wrong here; the service's log says where.")
