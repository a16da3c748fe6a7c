"""``muver audit``: MLflow's pages on the recorded rows, served to this machine alone."""

import contextlib
import socket
import warnings
from collections.abc import Sequence

from mlflow.entities import Experiment

from muver.io.errors import InputError
from muver.io.network import listen
from muver.io.progress import logger
from muver.reproduction.tracking.store import (
    IN_VIEW,
    VIEW,
    open_store,
    sqlite_file,
    store_name,
    store_uri,
)

HOST = "127.0.0.1"
GRACE = 3  # seconds that open connections get when the server is told to end
RUNS = "/#/experiments/{}/runs?workflowType=machine_learning"


def audit(*, port: int = 5000, list_: bool = False) -> None:
    """Open MLflow's pages on the recorded rows, for this machine alone.

    The address of each table's runs is named. The pages are served until Ctrl+C.

    A store that is a server has pages of its own: they are named, and nothing is started.

    Parameters
    ----------
    port
        The port on which it listens.
    list_
        Only say where each table's runs are, start nothing.
    """
    uri = store_uri()
    remote = uri.startswith(("http://", "https://"))
    if uri.startswith("sqlite:///") and not sqlite_file(uri).exists():
        raise InputError(
            f"{sqlite_file(uri)}: no such file, so nothing is recorded here. Go to a folder where "
            "tables were made (muver show prints them), or name a store by MLFLOW_TRACKING_URI."
        )
    pages = store_name() if remote else f"http://{HOST}:{port}"
    with open_store() as (client, artifacts):
        experiments = [
            experiment for experiment in client.search_experiments() if experiment.name != "Default"
        ]
    if artifacts:
        _tell_of_files_elsewhere(experiments, artifacts.as_uri())
    for line in addresses(pages, experiments):
        logger.info("%s", line)
    if remote:
        logger.info("the store is a server: open its pages there")
    elif not list_:
        with listen(HOST, port) as listening:
            logger.info("MLflow: %s (Ctrl+C ends it)", pages)
            _serve(uri, listening)


def _tell_of_files_elsewhere(experiments: Sequence[Experiment], here: str) -> None:
    """Say where runs of a copied store look for their files, whose absolute paths MLflow keeps."""
    there = {experiment.artifact_location.rpartition("/")[0] for experiment in experiments} - {here}
    if there:
        logger.warning(
            "files of runs are looked for in %s, where this store was made. Record the rows again "
            "to have them here: snakemake --cores all record",
            ", ".join(sorted(there)),
        )


def addresses(pages: str, experiments: Sequence[Experiment]) -> list[str]:
    """One line an experiment, the oldest first, with the address of its runs beside recall."""
    width = max((len(experiment.name) for experiment in experiments), default=0)
    return [
        f"{experiment.name:<{width}}  {pages}{RUNS.format(experiment.experiment_id)}"
        + (f"&{IN_VIEW}" if VIEW in experiment.tags else "")
        for experiment in reversed(experiments)
    ]


def _serve(uri: str, listening: socket.socket) -> None:
    """Serve MLflow's pages in this process until a signal ends it.

    ``mlflow server`` would start ten processes, workers for chats and prompts among them, and
    leave them behind when this one is killed.
    """
    import uvicorn
    from mlflow.server import handlers

    with warnings.catch_warnings(action="ignore"):  # MLflow's own, of its dependencies
        from mlflow.server.fastapi_app import app

    handlers.initialize_backend_stores(uri, uri, "mlflow-artifacts:/")
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=GRACE)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
