"""`muver serve`: opens indexes and a port, and serves until it is told to end."""

import math
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from muver.io.errors import InputError
from muver.io.network import LOOPBACK, listen
from muver.io.progress import logger
from muver.kb.index.opening import DEPTH
from muver.kb.serve.settings import Limits

if TYPE_CHECKING:
    from uvicorn.server import Server, ServerState

    from muver.kb.serve.routes import Service

LEAST = 16  # characters of a token


def serve(
    indexes: Sequence[str],
    *,
    settings: Limits,
    host: str = "127.0.0.1",
    port: int = 8017,
    token_file: Path | None = None,
    log_texts: bool = False,
    qdrant: str | None = None,
    rerank: Path | None = None,
    depth: int = DEPTH,
) -> None:
    """Serve indexes until SIGTERM or Ctrl+C; requests in hand are answered first.

    docs/serve.md has the routes.

    Parameters
    ----------
    indexes
        What `muver index create` wrote, or a row's index, as PLACE or NAME=PLACE; several are
        models to compare.
    host
        Address to listen at.
    port
        0: any that is free.
    token_file
        Allow changes to whoever shows the token in this file.
    log_texts
        Log what clients ask, not only that they did.
    qdrant
        Search the entities that `muver index push` brought to this collection; the folder's name
        is the collection's if the URL has none.
    rerank
        Folder of a cross-encoder (a model of score cross), which ranks the first candidates again.
    depth
        How many of them.
    """
    token = None if token_file is None else read_token(token_file)
    with listen(host, port) as listening:  # before anything takes long
        from muver.kb.serve.models import open_models
        from muver.kb.serve.routes import Service

        began = time.monotonic()
        models = open_models(indexes, qdrant, rerank, depth)
        for served in models.values():
            served.warm()
        hosts = (*LOOPBACK, host) if host in LOOPBACK else ("*",)
        server = make_server(Service(models, settings, token, log_texts), hosts)
        # uvicorn raises the signal that ended it once more, for whoever handled it before.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        names = ", ".join(models)
        where, port, *_ = listening.getsockname()
        where = f"[{where}]" if ":" in where else where
        logger.info("%s loaded in %.1f s", names, time.monotonic() - began)
        logger.info("http://%s:%d (Ctrl+C ends it)", where, port)
        server.run(sockets=[listening])
    logger.info("ended")


def read_token(path: Path) -> str:
    """The token in a file, without the white space around it."""
    make = f"Make one with `openssl rand -hex 32 > {path}`."
    try:
        token = path.read_text(encoding="ascii").strip()
        others = path.stat().st_mode & 0o077
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. {make}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a token ({error}).") from None
    if len(token) < LEAST or not token.isprintable() or " " in token:
        raise InputError(
            f"{path}: expected one line of at least {LEAST} characters without spaces. {make}"
        )
    if others:
        logger.warning("%s: other users can read it. `chmod 600 %s` keeps them out.", path, path)
    return token


def make_server(service: "Service", hosts: Sequence[str] = ("*",)) -> "Server":
    """The server of a service; :func:`muver.kb.serve.app.build_app` has the parameters."""
    import uvicorn

    from muver.kb.serve.app import build_app

    config = uvicorn.Config(
        build_app(service, hosts),
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[("X-Content-Type-Options", "nosniff")],
        timeout_keep_alive=math.ceil(service.limits.seconds),
        timeout_graceful_shutdown=service.limits.stop_seconds,
        timeout_notify=0,
    )
    server = uvicorn.Server(config)
    config.callback_notify = Sweep(server.server_state, service.limits.seconds)
    return server


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
