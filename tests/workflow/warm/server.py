"""The server: imports the libraries, then runs each command it is asked for in a copy of itself."""

import contextlib
import gc
import importlib
import json
import multiprocessing
import os
import socket
import struct
import sys
from multiprocessing.connection import wait
from typing import Any

from client import is_ours

LIBRARIES = (  # what the commands import, sooner or later
    "accelerate", "alembic.command", "bm25s", "dvc.cli.parser", "dvc.dirs", "dvc.lock", "dvc.repo",
    "dvc.repo.graph", "dvc.repo.plots", "dvc.rwlock", "dvc.utils.strictyaml", "faiss",
    "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "matplotlib.pyplot",
    "mlflow.db", "mlflow.tracking", "msgspec", "networkx", "nltk.tokenize.punkt", "numpy", "pandas",
    "psutil", "pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet", "rich.table", "ruamel.yaml",
    "safetensors.torch", "scipy.sparse", "scipy.stats", "scmrepo.git", "smart_open",
    "snakemake.cli", "tokenizers", "torch._dynamo", "yaml",
)  # fmt: skip
Process = multiprocessing.get_context("fork").Process


def serve(name: str, until: int) -> None:
    """Serve as long as the process ``until`` lives."""
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(f"\0{name}")
    except OSError:
        return  # another process of the test run has started it
    gc.disable()
    for library in LIBRARIES:
        importlib.import_module(library)
    sys.modules["snakemake.cli"].get_argument_parser()  # imports its plugins
    gc.freeze()
    gc.enable()
    listening.listen(64)
    copies: dict[socket.socket, Process] = {}  # by caller
    while os.path.exists(f"/proc/{until}"):
        ready = wait([listening, *copies, *(copy.sentinel for copy in copies.values())], timeout=1)
        if listening in ready:
            caller, _ = listening.accept()
            if copy := answer(caller):
                copies[caller] = copy
        for caller, copy in [*copies.items()]:
            if copy.sentinel in ready:
                copy.join()
                with contextlib.suppress(BrokenPipeError):
                    caller.sendall(struct.pack("i", copy.exitcode))
                copies.pop(caller).close()
                caller.close()
            elif caller in ready:  # it is gone
                copy.kill()


def answer(caller: socket.socket) -> Process | None:
    """Start a copy that runs what a caller asks for; None if it only looks whether we are there."""
    size, streams, _, _ = socket.recv_fds(caller, 4, 3)
    if not size or not is_ours(caller):
        return None
    asked = json.loads(caller.recv(*struct.unpack("I", size), socket.MSG_WAITALL))
    copy = Process(target=run, args=(asked, streams))
    copy.start()
    for stream in streams:
        os.close(stream)
    return copy


def run(asked: dict[str, Any], streams: list[int]) -> None:
    """Run a command in the place of its caller."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = asked["command"]
    sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
    sys.exit(importlib.import_module(f"{sys.argv[0]}.cli").main())


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
