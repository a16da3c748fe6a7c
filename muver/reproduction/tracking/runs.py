"""Entries to runs: each is found in the store by its key, or made there whole.

Nothing on a server keeps two recorders from making a row at once. So whoever has made a run looks
again: of several finished ones everybody keeps the one that was finished first, and deletes the
others.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import isfinite
from pathlib import Path

from mlflow import MlflowClient
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, Run
from mlflow.exceptions import MlflowException
from mlflow.utils.mlflow_tags import MLFLOW_DATASET_CONTEXT, MLFLOW_PARENT_RUN_ID

from muver.io.progress import logger
from muver.reproduction.tracking.entries import Data, Entry, Point
from muver.reproduction.tracking.provenance import code_version, environment, md5_of
from muver.reproduction.tracking.store import patiently

LAYOUT = "4"  # of what a run holds; runs of another layout are made anew
PATIENCE = 600  # seconds after which an unfinished run of a shared store counts as left by a crash
# Columns of the mentions, as MLflow's schemas have them.
TEXTS = ("mention_id", "split", "world", "context_left", "mention", "context_right")
COLUMNS = [{"type": "string", "name": name, "required": True} for name in TEXTS]
COLUMNS.append({"type": "long", "name": "gold", "required": True})


class Recorder:
    """Puts entries into the experiment of this id; if ``shared``, others may do so now as well."""

    def __init__(self, client: MlflowClient, experiment: str, shared: bool = False):
        self.client, self.experiment = client, experiment
        self.patience = timedelta(seconds=PATIENCE if shared else 0)
        self.version = code_version()
        self.environment = environment()

    def put(self, entry: Entry, position: str = "01") -> None:
        """Find or make the runs of an entry's children, and its own above them.

        A run that holds the entry is left as it is. Other runs with its key are deleted once the
        new one is there, with what is still under them. A run is finished when everything is in it.

        The tag ``position`` is the row's number in the table. A child's follows its parent's, as
        in ``02.01``, so that runs in this order stand below their parent.
        """
        # The pages show the newest run first, and one whose work is unknown starts when it is made:
        # from the last one, such runs stand in order.
        for number, child in reversed(list(enumerate(entry.children, start=1))):
            self.put(child, f"{position}.{number:02d}")
        found = self._runs("row_key", entry.key)
        wrong = [run.info.run_id for run in found if not self._may_stay(run, entry)]
        before = self._whole(entry, wrong)
        new = None if before else self._make(entry, position)
        kept, *doubled = before or self._whole(entry, wrong)
        self._place(kept, entry, position)
        keys = [child.key for child in entry.children]
        for run_id in [*wrong, *doubled]:
            for child in self._runs(MLFLOW_PARENT_RUN_ID, run_id):
                key = child.data.tags.get("row_key")
                if key and key not in keys:  # one without a key was not made here
                    self._delete(child.info.run_id, child.info.run_name, kept)
            self._delete(run_id, entry.name, kept)
        when = "recorded" if kept == new else "recorded before"
        logger.info("%s: %s, run %s", entry.name, when, kept)

    def run_of(self, entry: Entry) -> str:
        """The id of the run that the store has of an entry now."""
        return self._whole(entry)[0]

    def _runs(self, tag: str, value: str) -> list[Run]:
        return self.client.search_runs([self.experiment], f"tags.`{tag}` = '{value}'")

    def _whole(self, entry: Entry, wrong: Sequence[str] = ()) -> list[str]:
        """Ids of an entry's finished runs that are not ``wrong``, the first finished first."""
        ranked = sorted(
            (run.data.tags.get("recorded_at", ""), run.info.run_id)
            for run in self._runs("row_key", entry.key)
            if run.info.status == "FINISHED" and run.info.run_id not in wrong
        )
        return [run_id for _, run_id in ranked]

    def _may_stay(self, run: Run, entry: Entry) -> bool:
        """Whether a run of an entry's key holds it, or is being made by another recorder."""
        if run.info.status != "FINISHED":
            return run.data.tags.get("recorded_at", "") > _moment(self.patience)
        tags = {**entry.tags, "layout": LAYOUT, "mlflow.runName": entry.name}
        # Of a training that diverged; MLflow has other words for these.
        numbers = {name: value for name, value in entry.final().items() if isfinite(value)}
        return tags.items() <= run.data.tags.items() and numbers.items() <= run.data.metrics.items()

    def _make(self, entry: Entry, position: str) -> str:
        hashed = entry.hashed if Path("dvc.lock").exists() else {}
        tags = {
            **entry.tags,
            "row_key": entry.key,
            "layout": LAYOUT,
            "recorded_at": _moment(),
            **self.version,
            **{f"dvc_md5{suffix}": md5_of(path) for suffix, path in hashed.items()},
            "mlflow.source.name": entry.source,
            "mlflow.source.type": "JOB",
            "mlflow.note.content": entry.note,
        }
        work = [job for part in entry.tree() for job in part.jobs]
        end = round(1000 * max(job.end for job in work)) if work else None
        start = end and end - round(1000 * sum(job.seconds for job in work))
        info = self.client.create_run(self.experiment, start, tags, entry.name).info
        if entry.data:
            patiently(self.client.log_inputs, info.run_id, [dataset_input(entry.data)])
        parameters = [Param(name, text) for name, text in entry.parameters.items()]
        numbers = {**entry.metrics, **entry.timings}
        # A server's pages may show metrics in the order in which they came.
        points = sorted(
            [*(Point(name, 0, value) for name, value in numbers.items()), *entry.curves]
        )
        metrics = [Metric(name, value, info.start_time, step) for name, step, value in points]
        self.client.log_batch(info.run_id, metrics, parameters)
        for path, folder in entry.files:
            self.client.log_artifact(info.run_id, str(path), folder)
        for name, text in {**entry.texts, **self.environment}.items():
            self.client.log_text(info.run_id, text, name)
        self._place(info.run_id, entry, position)
        self.client.set_tag(info.run_id, "recorded_at", _moment())
        self.client.set_terminated(info.run_id, end_time=end)
        return info.run_id

    def _place(self, run_id: str, entry: Entry, position: str) -> None:
        """Give an entry's run its place in the table, and move the children's under it."""
        self.client.set_tag(run_id, "position", position)
        for child in entry.children:
            self.client.set_tag(self.run_of(child), MLFLOW_PARENT_RUN_ID, run_id)

    def _delete(self, run_id: str, name: str, by: str) -> None:
        logger.info("%s: deleted run %s, replaced by %s", name, run_id, by)
        with suppress(MlflowException):  # another recorder has deleted it meanwhile
            self.client.set_tag(run_id, "replaced_by", by)
        self.client.delete_run(run_id)


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


def _moment(ago: timedelta = timedelta()) -> str:
    """A moment in UTC, written such that texts sort by time."""
    return (datetime.now(UTC) - ago).isoformat(timespec="microseconds")
