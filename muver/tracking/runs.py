"""Entries to runs: each is found in the store or made there, whole or not at all."""

import json
import math
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from sys import float_info
from typing import Any

from mlflow import MlflowClient
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, Run
from mlflow.utils.mlflow_tags import MLFLOW_DATASET_CONTEXT, MLFLOW_PARENT_RUN_ID

from muver.io.progress import logger
from muver.tracking.entry import Data, Entry, Point
from muver.tracking.provenance import code_version, environment, md5_of
from muver.tracking.timings import GROUP

LAYOUT = "4"  # of what a run holds; runs of another layout are made anew
PARAMETERS_A_CALL = 100  # MLflow's limits
METRICS_A_CALL = 900
# Columns of the mentions, as MLflow's schemas have them.
TEXTS = ("mention_id", "split", "world", "context_left", "mention", "context_right")
COLUMNS = [{"type": "string", "name": name, "required": True} for name in TEXTS]
COLUMNS.append({"type": "long", "name": "gold", "required": True})


class Recorder:
    """Puts entries into the experiment of this id."""

    def __init__(self, client: MlflowClient, experiment: str):
        self.client, self.experiment = client, experiment
        self.version = code_version()
        self.environment = environment()
        self.new: set[str] = set()  # ids of the runs that it made

    def put(
        self, entry: Entry, position: str = "01", parent: str | None = None
    ) -> list[tuple[Entry, str]]:
        """Find or make the run of an entry, and the runs of its children under it.

        A run that holds the entry is left as it is, or moved under ``parent``. Other runs with its
        key are marked as replaced and deleted once the new one is there, with what is still under
        them. A run is marked as finished when everything is in it, never before.

        Parameters
        ----------
        position
            The tag ``position``: the row's number in the table. A child's follows its parent's, as
            in ``02.01``, so that runs in this order stand below their parent.

        Returns
        -------
        The entry and its children with the ids of their runs.
        """
        runs = self.client.search_runs([self.experiment], f"tags.row_key = '{entry.key}'")
        reasons = {run.info.run_id: self._differs(run, entry) for run in runs}
        kept = next((run for run in runs if not reasons[run.info.run_id]), None)
        place = {"position": position} | ({MLFLOW_PARENT_RUN_ID: parent} if parent else {})
        if kept:
            run_id = kept.info.run_id
            for name, value in place.items():
                if kept.data.tags.get(name) != value:
                    self.client.set_tag(run_id, name, value)
        else:
            run_id = self._create(entry, place)
            self.new.add(run_id)
        # The pages show the newest run first, and one whose work is unknown starts when it is made:
        # from the last one, such runs stand in order.
        numbered = list(enumerate(entry.children, start=1))
        below = [self.put(child, f"{position}.{n:02d}", run_id) for n, child in reversed(numbered)]
        for run in runs:
            if run is not kept:
                self._discard(run, reasons[run.info.run_id] or "stood twice", run_id)
        if kept is None:
            work = entry.work()
            self.client.set_terminated(run_id, end_time=work and _milliseconds(work.end))
        logger.info("%s: recorded%s, run %s", entry.name, " before" if kept else "", run_id)
        return [(entry, run_id), *(line for lines in reversed(below) for line in lines)]

    def _create(self, entry: Entry, place: dict[str, str]) -> str:
        hashed = entry.hashed if Path("dvc.lock").exists() else {}
        tags = {
            **entry.tags,
            **place,
            "row_key": entry.key,
            "layout": LAYOUT,
            **self.version,
            **{f"dvc_md5{suffix}": md5_of(path) for suffix, path in hashed.items()},
            "mlflow.source.name": entry.source,
            "mlflow.source.type": "JOB",
            "mlflow.note.content": entry.note,
        }
        work = entry.work()
        start = work and _milliseconds(work.end - work.seconds)
        info = self.client.create_run(self.experiment, start, tags, entry.name).info
        if entry.data:
            self.client.log_inputs(info.run_id, [dataset_input(entry.data)])
        parameters = [Param(name, text) for name, text in entry.parameters.items()]
        numbers = {**entry.metrics, **entry.timings}
        # A server's pages may show metrics in the order in which they came.
        points = sorted([*(Point(name, 0, one) for name, one in numbers.items()), *entry.curves])
        metrics = [Metric(name, value, info.start_time, step) for name, step, value in points]
        parts = _parts(parameters, PARAMETERS_A_CALL), _parts(metrics, METRICS_A_CALL)
        for some, others in zip_longest(*parts, fillvalue=()):
            self.client.log_batch(info.run_id, params=some, metrics=others)
        for path, folder in entry.files:
            self.client.log_artifact(info.run_id, str(path), folder)
        for name, text in {**entry.texts, **self.environment}.items():
            self.client.log_text(info.run_id, text, name)
        return info.run_id

    def _differs(self, run: Run, entry: Entry) -> str:
        """Why a run does not hold the entry; empty if it is whole, with its name and content."""
        tags, metrics = run.data.tags, run.data.metrics
        numbers = {name: metrics[name] for name in metrics if not name.startswith(GROUP)}
        if run.info.status != "FINISHED":
            return "was not finished"
        if tags.get("layout") != LAYOUT:
            return "was recorded by another version of muver"
        if run.info.run_name != entry.name:
            return "had another name"
        if _as_stored(numbers) != _as_stored(entry.final()):
            return "had other numbers"
        if other := [name for name, value in entry.tags.items() if tags.get(name) != value]:
            return f"had another {', '.join(sorted(other))}"
        present = {one.path for one in self.client.list_artifacts(run.info.run_id)}
        if lost := entry.folders() - present:
            return f"had lost {', '.join(sorted(lost))} of its files"
        return ""

    def _discard(self, run: Run, why: str, by: str) -> None:
        """Delete a run that another replaces, and the runs that are still under it."""
        under = f"tags.`{MLFLOW_PARENT_RUN_ID}` = '{run.info.run_id}'"
        for child in self.client.search_runs([self.experiment], under):
            self._delete(child, "no longer belongs there", by)
        self._delete(run, why, by)

    def _delete(self, run: Run, why: str, by: str) -> None:
        logger.info("%s: deleted run %s, which %s", run.info.run_name, run.info.run_id, why)
        self.client.set_tag(run.info.run_id, "replaced_by", by)
        self.client.delete_run(run.info.run_id)


def dataset_input(data: Data) -> DatasetInput:
    """The dataset as MLflow lists a run's inputs; its context is the split that was scored."""
    remote = data.source.startswith(("http://", "https://"))
    return DatasetInput(
        Dataset(
            name=data.name,
            digest=data.digest,
            source_type="http" if remote else "local",
            source=json.dumps({"url" if remote else "uri": data.source}),
            schema=json.dumps({"mlflow_colspec": COLUMNS}),
            profile=json.dumps(dict(data.profile)),
        ),
        [InputTag(MLFLOW_DATASET_CONTEXT, data.context)] if data.context else [],
    )


def _as_stored(metrics: dict[str, float]) -> dict[str, float | None]:
    """Numbers made comparable: NaN equals NaN, and MLflow stores infinity as the largest number."""
    most = float_info.max
    return {
        name: None if math.isnan(value) else min(max(value, -most), most)
        for name, value in metrics.items()
    }


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)


def _parts(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
