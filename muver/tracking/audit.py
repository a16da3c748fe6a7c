"""Opening MLflow's user interface on the recorded rows, at an address of this machine alone."""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from urllib.error import URLError

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.tracking.lost import read_list
from muver.tracking.store import DEFAULT_URI, open_store, sqlite_file, store_name

HOST = "127.0.0.1"
WAIT = 120  # seconds until the pages answer, on a busy machine
RUNS = "/#/experiments/{}/runs?workflowType=machine_learning"


def audit(port: int, recorded: Path, browser: bool = False, serve: bool = True) -> None:
    """Say where each table's runs are and serve them until Ctrl+C.

    A store that is a server has pages of its own: they are named, and nothing is started.

    Parameters
    ----------
    recorded
        Folder of the lists of runs; lists of runs in another store are told.
    browser
        Open the first table's runs once the pages answer.
    serve
        If false only say it.

    Raises
    ------
    InputError
        If there is no store, it cannot be used, or the port is taken.
    """
    uri = os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI
    remote = uri.startswith(("http://", "https://"))
    if uri.startswith("sqlite:///") and not sqlite_file(uri).exists():
        raise InputError(
            f"{sqlite_file(uri)}: no such file, so nothing was recorded here. Make the tables, or "
            "record them again: snakemake --cores all record."
        )
    pages = store_name() if remote else f"http://{HOST}:{port}"
    with open_store() as (client, _):
        found = {one.name: one.experiment_id for one in client.search_experiments()}
    found.pop("Default", None)
    for line in addresses(pages, found):
        logger.info("%s", line)
    for line in of_other_stores(recorded):
        logger.warning("%s", line)
    if not serve:
        return
    first = pages + RUNS.format(next(reversed(found.values()), "0"))
    if remote:
        logger.info("the store is a server: open its pages there")
        if browser:
            webbrowser.open(first)
        return
    _check_free(port)
    if browser:
        threading.Thread(target=_open, args=(pages, first), daemon=True).start()
    _serve(uri, port)


def addresses(pages: str, experiments: Mapping[str, str]) -> list[str]:
    """One line an experiment, the oldest first, with the address of its runs."""
    width = max(map(len, experiments), default=0)
    return [
        f"{name:<{width}}  {pages}{RUNS.format(number)}"
        for name, number in reversed(experiments.items())
    ]


def of_other_stores(recorded: Path) -> list[str]:
    """What to say of tables whose list names runs in a store other than the one used now."""
    told = []
    for path in sorted(recorded.glob("*/recorded/*.csv")):
        others = {line.get("store") or store_name() for line in read_list(path)} - {store_name()}
        told += [
            f"{path.stem} ({path}) was recorded in {store}, not in {store_name()}. To have all "
            "tables in one store: snakemake --cores all record"
            for store in sorted(others)
        ]
    return told


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            raise InputError(
                f"--port {port}: cannot be used ({error}). Take another, or open the pages that "
                "are served there already."
            ) from None


def _serve(uri: str, port: int) -> None:
    logger.info("MLflow: http://%s:%d (Ctrl+C ends it)", HOST, port)
    command = ["server", "--host", HOST, "--port", str(port), "--workers", "1"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mlflow", *command, "--backend-store-uri", uri], check=False
        )
    except KeyboardInterrupt:
        return
    if done.returncode > 0:
        raise InputError(f"MLflow ended with status {done.returncode}; it says why above.")


def _open(pages: str, address: str) -> None:
    """Open an address once the pages answer."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{pages}/health", timeout=2).close()
        except (URLError, OSError):
            time.sleep(0.5)
        else:
            webbrowser.open(address)
            return
    logger.warning("%s does not answer; open it by hand later", pages)
