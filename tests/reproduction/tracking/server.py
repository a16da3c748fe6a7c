"""Servers of MLflow's pages in a process of their own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

READY = 180  # seconds for a server to start on a busy machine


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, ended: Callable[[], object]) -> str:
    """The address of a server, once it answers."""
    until = time.monotonic() + READY
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            return f"http://127.0.0.1:{port}"
        except OSError:
            assert not ended(), "the server ended"
            assert time.monotonic() < until, "the server does not answer"
            time.sleep(0.1)


@contextlib.contextmanager
def serving(
    module: str, arguments: Sequence[str], folder: Path, port: int = 0, **more: str
) -> Iterator[tuple[str, int]]:
    """Run ``python -m MODULE ARGUMENTS --port PORT`` in a folder until the block ends.

    The port is a free one if none is given; the environment has ``more``.

    Yields
    ------
    The address, and the id of the process and of the group that its processes are in.
    """
    port = port or free_port()
    environment = more | {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    environment["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # workers that nothing here needs
    server = subprocess.Popen(
        [sys.executable, "-m", module, *arguments, "--port", str(port)],
        cwd=folder, env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield wait_for(port, lambda: server.poll() is not None), server.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=60)
