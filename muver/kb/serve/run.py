"""`muver serve`: opens indexes and a port, and serves until it is told to end."""

import faulthandler
import math
import os
import signal
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from muver.io.errors import InputError, read_errors
from muver.io.network import LOOPBACK, listen
from muver.io.progress import logger
from muver.kb.serve import Limits
from muver.retriever.answers import Mention

if TYPE_CHECKING:
    from uvicorn.server import Server

    from muver.kb.serve.models import Served
    from muver.kb.serve.routes import Service

LEAST = 16  # characters of a token
LAST = 2  # seconds of stop_seconds for what is left to do after the requests in hand
NOWHERE = open(os.devnull, "w")  # noqa: SIM115


def serve(
    indexes: Sequence[str],
    *,
    settings: Limits,
    host: str = "127.0.0.1",
    port: int = 8017,
    token_file: Path | None = None,
    log_texts: bool = False,
    rerank: Path | None = None,
    depth: int | None = None,
) -> None:
    """Answer requests over HTTP, with a page to ask and to compare.

    Until SIGTERM or Ctrl+C; requests in hand are answered first.

    docs/serve.md has the routes.

    Parameters
    ----------
    indexes
        What `muver index create` wrote, or a row's index, as PLACE or NAME=PLACE; several are
        models to compare.
    host
        Address to listen at.
    port
        Port to listen at; 0 takes any that is free.
    token_file
        Allow changes to whoever shows the token in this file.
    log_texts
        Log what clients ask, not only that they did.
    rerank
        Folder of a cross-encoder (a model of score cross), which ranks the first candidates again.
    depth
        How many candidates the cross-encoder ranks; 64 unless given.
    """
    token = None if token_file is None else read_token(token_file)
    with listen(host, port) as listening:  # before anything takes long
        from muver.kb.serve.models import open_models
        from muver.kb.serve.routes import Service

        began = time.monotonic()
        models = open_models(indexes, rerank, depth)
        for served in models.values():
            served.warm()
            check_least(served, settings.tokens)
        hosts = (*LOOPBACK, host) if host in LOOPBACK else ("*",)
        server = make_server(Service(models, settings, token, log_texts), hosts)
        # uvicorn raises the signal that ended it once more, for whoever handled it before.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(signal.SIGHUP, server.handle_exit)
        names = ", ".join(models)
        where, port, *_ = listening.getsockname()
        where = f"[{where}]" if ":" in where else where
        logger.info("%s loaded in %.1f s", names, time.monotonic() - began)
        logger.info("http://%s:%d (Ctrl+C ends it)", where, port)
        server.run(sockets=[listening])
    logger.info("ended")


def check_least(served: "Served", most: int) -> None:
    """Refuse an index of which even one word takes more than a request may."""
    if (least := served.index.costs.answer(Mention("a"), 1)) > most:
        raise InputError(
            f"{served.name}: one mention takes about {least:,} tokens of work, and a request may "
            f"take {most:,}. Give a smaller --depth or model, or allow more by --settings "
            f"'{{\"tokens\": {least + 1_000}}}': all others wait for it."
        )


def read_token(path: Path) -> str:
    """The token in a file, without the white space around it."""
    make = f"Make one with `openssl rand -hex 32 > {path}`."
    with read_errors(path, make, "cannot be read as a token"):
        token = path.read_text(encoding="ascii").strip()
        others = path.stat().st_mode & 0o077
    if len(token) < LEAST or not token.isprintable() or " " in token:
        raise InputError(
            f"{path}: expected one line of at least {LEAST} characters without spaces. {make}"
        )
    if others:
        raise InputError(f"{path}: other users can read it. Keep them out: chmod 600 {path}")
    return token


def make_server(service: "Service", hosts: Sequence[str] = ("*",)) -> "Server":
    """The server of a service; :func:`muver.kb.serve.app.build_app` has the parameters."""
    import uvicorn

    from muver.kb.serve.app import build_app
    from muver.kb.serve.guard import Connection, room, sweep

    limits = service.limits
    most, waiting = room()

    class Ending(uvicorn.Server):
        """Ends ``stop_seconds`` after it is told to, even where the worker does not."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            faulthandler.dump_traceback_later(limits.stop_seconds, exit=True, file=NOWHERE)

    config = uvicorn.Config(
        build_app(service, hosts),
        http=type("Connection", (Connection,), {"most": most}),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[("X-Content-Type-Options", "nosniff")],
        backlog=waiting,
        timeout_keep_alive=math.ceil(limits.seconds),
        timeout_graceful_shutdown=max(limits.stop_seconds - LAST, 1),
        timeout_notify=0,
    )
    server = Ending(config)
    config.callback_notify = partial(sweep, server.server_state.connections, limits.seconds)
    return server
