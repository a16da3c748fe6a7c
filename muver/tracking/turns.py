"""Taking turns at an experiment of a server, on which several machines record.

Two recordings of a row at once would each find no run of it and make one. An SQLite store has a
lock beside its file; of what MLflow's servers offer, only names of registered models are given to
one caller and free again once deleted. So whoever records holds such a name and tells at each row
that it is still there.
"""

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator

import psutil
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from muver.io.errors import InputError
from muver.io.progress import logger

POLL = 0.5  # seconds between looks at a turn that somebody else has
SILENCE = 300  # seconds without a word after which whoever has the turn is taken for dead


@contextlib.contextmanager
def turn(client: MlflowClient, experiment: str, shared: bool) -> Iterator[Callable[[], None]]:
    """Wait until nobody records into an experiment, and have the turn until the block ends.

    Parameters
    ----------
    shared
        Whether others can use the store now; otherwise there is nobody to wait for.

    Yields
    ------
    What is to be called at each row. It raises an InputError if others took this process for dead.
    """
    if not shared:
        yield lambda: None
        return
    name = f"muver is recording {experiment}"
    me = f"process {os.getpid()} on {socket.gethostname()}"
    _take(client, name, me)
    rows = 0

    def still_here() -> None:
        nonlocal rows
        if not _holder(client, name).startswith(f"{me},"):
            raise InputError(
                f"{experiment}: another process records there, as this one was silent for more "
                f"than {SILENCE} seconds. Record again: snakemake --cores all record."
            )
        rows += 1
        client.update_registered_model(name, f"{me}, row {rows}")

    try:
        yield still_here
    finally:
        if _holder(client, name).startswith(f"{me},"):
            client.delete_registered_model(name)


def _take(client: MlflowClient, name: str, me: str) -> None:
    """Make the name; of a holder that is dead, it is freed by one process at a time."""
    last, since = None, time.monotonic()
    while not _made(client, name, f"{me}, row 0"):
        holder = _holder(client, name)
        if last is None:
            logger.info("waiting: %s (%s)", name, holder or "just done")
        if holder != last:
            last, since = holder, time.monotonic()
        elif holder and (_ended(holder) or time.monotonic() - since > SILENCE):
            if _made(client, f"{name}, which is freed", me):
                if _holder(client, name) == holder:
                    logger.info("%s: its recording ended without a word", holder)
                    client.delete_registered_model(name)
                client.delete_registered_model(f"{name}, which is freed")
        else:
            time.sleep(POLL)


def _made(client: MlflowClient, name: str, holder: str) -> bool:
    try:
        client.create_registered_model(name, description=holder)
    except MlflowException as error:
        # The second where the other one was deleted while MLflow looked at it.
        if error.error_code in ("RESOURCE_ALREADY_EXISTS", "RESOURCE_DOES_NOT_EXIST"):
            return False
        raise
    return True


def _holder(client: MlflowClient, name: str) -> str:
    """Who has the name and since which row; empty if nobody has."""
    try:
        return client.get_registered_model(name).description
    except MlflowException as error:
        if error.error_code == "RESOURCE_DOES_NOT_EXIST":
            return ""
        raise


def _ended(holder: str) -> bool:
    """Whether a process of this machine is there no more."""
    process, _, host = holder.partition(",")[0].removeprefix("process ").partition(" on ")
    return host == socket.gethostname() and not psutil.pid_exists(int(process))
