"""Entries to runs: each is found in the store by its key, or made there whole.

Nothing on a server keeps two recorders from making a row at once. So whoever has made a run looks
again: of several finished ones, everybody keeps the one that was finished first and deletes the
others.
"""

import json
import math
from collections.abc import Container
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sys import float_info

from mlflow import MlflowClient
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, Run
from mlflow.exceptions import MlflowException
from mlflow.utils import chunk_list
from mlflow.utils.mlflow_tags import MLFLOW_DATASET_CONTEXT, MLFLOW_PARENT_RUN_ID

from muver.io.progress import logger
from muver.reproduction.tracking.entry import Data, Entry, Point
from muver.reproduction.tracking.provenance import code_version, environment, md5_of
from muver.reproduction.tracking.timings import GROUP

LAYOUT = "4"  # of what a run holds; runs of another layout are made anew
PATIENCE = 600  # seconds after which an unfinished run of a shared store counts as left by a crash
PARAMETERS_A_CALL = 100  # MLflow's limits
METRICS_A_CALL = 900
# Columns of the mentions, as MLflow's schemas have them.
TEXTS = ("mention_id", "split", "world", "context_left", "mention", "context_right")
COLUMNS = [{"type": "string", "name": name, "required": True} for name in TEXTS]
COLUMNS.append({"type": "long", "name": "gold", "required": True})


class Recorder:
    """Puts entries into the experiment of this id.

    Parameters
    ----------
    shared
        Whether others may be recording in the store now.
    """

    def __init__(self, client: MlflowClient, experiment: str, shared: bool = False):
        self.client, self.experiment = client, experiment
        self.patience = timedelta(seconds=PATIENCE if shared else 0)
        self.version = code_version()
        self.environment = environment()

    def put(self, entry: Entry, position: str = "01") -> None:
        """Find or make the runs of an entry's children, and its own above them.

        A run that holds the entry is left as it is. Other runs with its key are marked as replaced
        and deleted once the new one is there, with what is still under them. A run is marked as
        finished when everything is in it, never before.

        Parameters
        ----------
        position
            The tag ``position``: the row's number in the table. A child's follows its parent's, as
            in ``02.01``, so that runs in this order stand below their parent.
        """
        # The pages show the newest run first, and one whose work is unknown starts when it is made:
        # from the last one, such runs stand in order.
        for number, child in reversed(list(enumerate(entry.children, start=1))):
            self.put(child, f"{position}.{number:02d}")
        found = self._runs("row_key", entry.key)
        wrong = {run.info.run_id: why for run in found if (why := self._differs(run, entry))}
        before = self._whole(entry, wrong)
        made = [] if before else [self._make(entry, position)]
        kept, *doubled = before or self._whole(entry, wrong) or made
        self._place(kept, entry, position)
        own = [child.key for child in entry.children]
        for run_id, why in {**wrong, **dict.fromkeys(doubled, "stood twice")}.items():
            for child in self._runs(MLFLOW_PARENT_RUN_ID, run_id):
                if child.data.tags.get("row_key") not in own:
                    name = child.info.run_name
                    self._delete(child.info.run_id, name, "no longer belongs there", kept)
            self._delete(run_id, entry.name, why, kept)
        said = "recorded" if kept in made else "recorded before"
        logger.info("%s: %s, run %s", entry.name, said, kept)

    def run_of(self, entry: Entry) -> str:
        """The id of the run that the store has of an entry now."""
        return self._whole(entry)[0]

    def _runs(self, tag: str, value: str) -> list[Run]:
        return self.client.search_runs([self.experiment], f"tags.`{tag}` = '{value}'")

    def _whole(self, entry: Entry, wrong: Container[str] = ()) -> list[str]:
        """Ids of an entry's finished runs that are not ``wrong``, the first finished first."""
        ranked = sorted(
            (run.data.tags.get("recorded_at", ""), run.info.run_id)
            for run in self._runs("row_key", entry.key)
            if run.info.status == "FINISHED" and run.info.run_id not in wrong
        )
        return [run_id for _, run_id in ranked]

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
        for some in chunk_list(parameters, PARAMETERS_A_CALL):
            self.client.log_batch(info.run_id, params=some)
        for some in chunk_list(metrics, METRICS_A_CALL):
            self.client.log_batch(info.run_id, metrics=some)
        for path, folder in entry.files:
            self.client.log_artifact(info.run_id, str(path), folder)
        for name, text in {**entry.texts, **self.environment}.items():
            self.client.log_text(info.run_id, text, name)
        self._place(info.run_id, entry, position)
        self.client.set_tag(info.run_id, "recorded_at", _moment())
        self.client.set_terminated(info.run_id, end_time=work and _milliseconds(work.end))
        return info.run_id

    def _place(self, run_id: str, entry: Entry, position: str) -> None:
        """Give an entry's run its place in the table, and move the children's under it."""
        self.client.set_tag(run_id, "position", position)
        for child in entry.children:
            self.client.set_tag(self.run_of(child), MLFLOW_PARENT_RUN_ID, run_id)

    def _differs(self, run: Run, entry: Entry) -> str:
        """Why a run is to be replaced; empty if it holds the entry, or if others are making it."""
        tags, metrics = run.data.tags, run.data.metrics
        numbers = {name: metrics[name] for name in metrics if not name.startswith(GROUP)}
        if run.info.status != "FINISHED":
            recent = tags.get("recorded_at", "") > _moment(self.patience)
            return "" if recent else "was not finished"
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

    def _delete(self, run_id: str, name: str, why: str, by: str) -> None:
        logger.info("%s: deleted run %s, which %s", name, run_id, why)
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


def _as_stored(metrics: dict[str, float]) -> dict[str, float | None]:
    """Numbers made comparable: NaN equals NaN, and MLflow stores infinity as the largest number."""
    most = float_info.max
    return {
        name: None if math.isnan(value) else min(max(value, -most), most)
        for name, value in metrics.items()
    }


def _moment(ago: timedelta = timedelta()) -> str:
    """A moment in UTC, written such that texts sort by time."""
    return (datetime.now(UTC) - ago).isoformat(timespec="microseconds")


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)
