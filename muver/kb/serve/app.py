"""The service as an ASGI application: its routes and page, their errors, and its end."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from muver import __version__
from muver.io.errors import InputError, Mistake
from muver.io.progress import logger
from muver.kb.index.snapshot import UnknownEntity
from muver.kb.index.state import BeingChanged
from muver.kb.serve.forms import Sentence
from muver.kb.serve.guard import Bodies, Notes
from muver.kb.serve.models import look_out
from muver.kb.serve.routes import Service, asking, changing, check_parameters, watching
from muver.look import ASSETS as SHARED

MESSAGE = 400  # characters of a message that repeats what a client sent
ASSETS = Path(__file__).with_name("assets")
STATUSES = {UnknownEntity: 404, Mistake: 422}
# The page can run and load only what is served here.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def build_app(service: Service, hosts: Sequence[str] = ("*",)) -> FastAPI:
    """The application.

    A request whose ``Host`` header is none of ``hosts`` is refused, which keeps out pages whose
    name was pointed at this machine (DNS rebinding).
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        lookout = asyncio.create_task(look_out(service.models, service.limits.look_seconds))
        yield
        lookout.cancel()
        for served in service.models.values():
            served.queue.close()

    app = FastAPI(
        title="muver",
        version=__version__,
        summary="Entities for mentions in a text.",
        redoc_url=None,
        lifespan=lifespan,
        responses={422: {"model": Sentence}},  # in place of FastAPI's list of what is wrong
    )
    for kind in (HTTPException, RequestValidationError, InputError):
        app.add_exception_handler(kind, _refused)
    for router in (asking(service), changing(service)):
        app.include_router(router, dependencies=[Depends(check_parameters)])
    app.include_router(watching(service))  # a probe may add what it likes

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(ASSETS / "ask.html", headers={"Content-Security-Policy": POLICY})

    app.mount("/assets", StaticFiles(directory=ASSETS))
    app.mount("/shared", StaticFiles(directory=SHARED))  # the look of the results' page
    # The one that is added last sees a request first.
    app.add_middleware(Bodies, limits=service.limits)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(Notes, metrics=service.metrics)
    return app


async def _refused(request: Request, error: Any) -> JSONResponse:
    match error:
        case HTTPException():
            return _answer(error.status_code, str(error.detail), error.headers)
        case RequestValidationError():
            # Without what was given, as FastAPI would have it: it may be long, or anything.
            first = error.errors()[0]
            place, *rest = first["loc"]
            if place == "body" and "json" not in request.headers.get("content-type", ""):
                why = "the body is not sent as JSON. Add -H 'Content-Type: application/json'."
                return _answer(415, why)
            if first["type"] == "json_invalid":
                why = f"the body is not valid JSON ({first['ctx']['error']}, character {rest[0]})."
                return _answer(422, why)
            where = f"{place} {'.'.join(map(str, rest))}".strip()
            return _answer(422, f"{where}: {first['msg']}.")
        case UnknownEntity() | Mistake():
            return _answer(STATUSES[type(error)], str(error))
        case BeingChanged():
            why = "somebody else is changing the index. Come again in a second."
            return _answer(409, why, {"Retry-After": "1"})
        case _:
            # By the state of files or of the machine, of which a client is told nothing.
            logger.error("%s", error)
            return _answer(503, "this can't be done now; the service's log says why.")


def _answer(status: int, why: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    # What a client sent may have halves of characters in it, which no answer can have.
    why = why.encode("utf-8", "backslashreplace").decode("utf-8")
    cut = why if len(why) <= MESSAGE else f"{why[:MESSAGE]}\N{HORIZONTAL ELLIPSIS}"
    return JSONResponse({"detail": cut}, status, headers)
