"""The server: imports the libraries, then runs each command it is asked for in a copy of itself."""

import contextlib
import functools
import gc
import importlib
import json
import multiprocessing
import os
import shutil
import socket
import struct
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

from client import is_ours

LIBRARIES = (  # what the commands import, sooner or later
    "accelerate", "alembic.command", "bm25s", "configobj", "cryptography.fernet",
    "dulwich.porcelain", "dvc.cachemgr", "dvc.cli.parser", "dvc.dirs", "dvc.lock",
    "dvc.render.convert", "dvc.repo.artifacts", "dvc.repo.brancher",
    "dvc.repo.experiments.queue.celery", "dvc.repo.experiments.queue.workspace", "dvc.repo.graph",
    "dvc.repo.index", "dvc.repo.metrics.diff", "dvc.repo.open_repo", "dvc.repo.params.diff",
    "dvc.repo.plots.diff", "dvc.repo.worktree", "dvc.rwlock", "dvc.utils.strictyaml", "faiss",
    "gto.api", "hydra", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg",
    "matplotlib.pyplot", "mlflow.db", "mlflow.store.tracking.sqlalchemy_store", "mlflow.tracking",
    "msgspec", "networkx", "nltk.tokenize.punkt", "numpy", "pandas", "psutil", "pyarrow.compute",
    "pyarrow.dataset", "pyarrow.parquet", "rich.json", "rich.table", "ruamel.yaml",
    "safetensors.torch", "scipy.sparse", "scipy.stats", "scmrepo.git.backend.pygit2.filter",
    "smart_open", "snakemake.cli", "sqlalchemy.dialects.sqlite", "tokenizers", "torch._dynamo",
    "transformers.models.auto.modeling_auto", "transformers.models.auto.tokenization_auto",
    "transformers.models.bert.modeling_bert", "transformers.models.bert.tokenization_bert", "yaml",
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
    upgrade = sys.modules["mlflow.db"].upgrade
    stores = tempfile.TemporaryDirectory()  # removed when this function ends
    upgrade.callback = functools.partial(new_store, upgrade.callback, stores.name)
    os.fsync = lambda _: None  # as in the tests themselves
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


def new_store(make: Callable[[str], None], folder: str, uri: str) -> None:
    """MLflow's new store: its hundred tables are made once, and copied from then on."""
    ready, own = f"{folder}/ready.db", f"{folder}/{os.getpid()}.db"
    if not os.path.exists(ready):
        make(f"sqlite:///{own}")
        os.replace(own, ready)
    shutil.copy(ready, uri.removeprefix("sqlite:///"))


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
