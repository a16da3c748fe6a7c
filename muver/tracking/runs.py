"""Entries to runs: each found again or made, whole or not at all."""

import math
from collections.abc import Iterator, Sequence
from sys import float_info
from typing import Any

from mlflow import MlflowClient
from mlflow.entities import Metric, Param, Run
from mlflow.utils.mlflow_tags import MLFLOW_PARENT_RUN_ID

from muver.progress import logger
from muver.tracking.entry import Entry, Point
from muver.tracking.provenance import code_version, file_hash

PARAMETERS_A_CALL = 100  # MLflow's limits
METRICS_A_CALL = 1000


class Recorder:
    """Puts entries into one experiment.

    Parameters
    ----------
    experiment
        Its id.
    """

    def __init__(self, client: MlflowClient, experiment: str):
        self.client, self.experiment = client, experiment
        self.version = code_version()

    def put(self, entry: Entry, parent: str | None = None) -> list[tuple[Entry, str]]:
        """Find or make the run of an entry, and those of its children under it.

        A run that holds the entry already is left as it is, or moved under ``parent``. Others
        with its key are deleted once the new one is there, with what is still under them. A run
        is marked as finished when everything is in it, never before.

        Returns
        -------
        The entry and its children with the ids of their runs.
        """
        found = self.client.search_runs([self.experiment], f"tags.row_key = '{entry.key}'")
        kept = next((run for run in found if _holds(run, entry)), None)
        run_id = kept.info.run_id if kept else self._create(entry, parent)
        if kept and parent and kept.data.tags.get(MLFLOW_PARENT_RUN_ID) != parent:
            self.client.set_tag(run_id, MLFLOW_PARENT_RUN_ID, parent)
        # The UI shows the newest run first: made from the last one, they stand in order.
        below = [self.put(child, run_id) for child in reversed(entry.children)]
        for run in found:
            if run is not kept:
                self._discard(run)
        if kept is None:
            self.client.set_terminated(run_id)
        logger.info("%s: recorded%s, run %s", entry.name, " before" if kept else "", run_id)
        return [(entry, run_id), *(line for lines in reversed(below) for line in lines)]

    def _create(self, entry: Entry, parent: str | None) -> str:
        tags = {
            **entry.tags,
            "row_key": entry.key,
            **self.version,
            **(file_hash(entry.hashed) if entry.hashed else {}),
            "mlflow.source.name": entry.source,
            "mlflow.source.type": "JOB",
            "mlflow.note.content": entry.note,
            **({MLFLOW_PARENT_RUN_ID: parent} if parent else {}),
        }
        info = self.client.create_run(self.experiment, tags=tags, run_name=entry.name).info
        parameters = [Param(name, text) for name, text in entry.parameters.items()]
        for part in _parts(parameters, PARAMETERS_A_CALL):
            self.client.log_batch(info.run_id, params=part)
        points = [*(Point(name, 0, value) for name, value in entry.metrics.items()), *entry.curves]
        metrics = [Metric(name, value, info.start_time, step) for name, step, value in points]
        for part in _parts(metrics, METRICS_A_CALL):
            self.client.log_batch(info.run_id, metrics=part)
        for path, folder in entry.files:
            self.client.log_artifact(info.run_id, str(path), folder)
        for path, text in entry.texts.items():
            self.client.log_text(info.run_id, text, path)
        return info.run_id

    def _discard(self, run: Run) -> None:
        """Delete a run that does not hold its entry, and the runs that are still under it."""
        finished = run.info.status == "FINISHED"
        why = "had other numbers or names, or stood twice" if finished else "was not finished"
        under = f"tags.`{MLFLOW_PARENT_RUN_ID}` = '{run.info.run_id}'"
        for child in self.client.search_runs([self.experiment], under):
            self._delete(child, "no longer belongs there")
        self._delete(run, why)

    def _delete(self, run: Run, why: str) -> None:
        logger.info("%s: deleted run %s, which %s", run.info.run_name, run.info.run_id, why)
        self.client.delete_run(run.info.run_id)


def _holds(run: Run, entry: Entry) -> bool:
    """Whether a run is the entry's: finished, and with its name, tags and numbers."""
    return (
        run.info.status == "FINISHED"
        and run.info.run_name == entry.name
        and entry.tags.items() <= run.data.tags.items()
        and _as_stored(run.data.metrics) == _as_stored(entry.final())
    )


def _as_stored(metrics: dict[str, float]) -> dict[str, float | None]:
    """Numbers as they can be compared: MLflow stores infinity as the largest number."""
    most = float_info.max
    return {
        name: None if math.isnan(value) else min(max(value, -most), most)
        for name, value in metrics.items()
    }


def _parts(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
