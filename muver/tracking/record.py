"""The record stage: a table's rows to runs of an experiment."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muver.checking import with_defaults
from muver.errors import InputError
from muver.files import read_json, write_text
from muver.progress import logger
from muver.tables.keys import row_key
from muver.tracking import describe
from muver.tracking.provenance import provenance

if TYPE_CHECKING:
    from mlflow import MlflowClient

HEADER = ("row_key", "method", "run_id", "experiment_id", "address")
PARAMETERS_A_CALL = 100  # MLflow's limit


@dataclass(frozen=True)
class Row:
    """A row of the table with all that is kept of it."""

    method: str
    key: str
    evaluation: dict[str, Any]
    evaluation_file: Path
    run_file: Path
    artifacts: list[Path]


def record(
    table: Path,
    evaluations: Sequence[Path],
    runs: Sequence[Path],
    artifacts: Sequence[tuple[str, Path]],
    out: Path,
    settings: dict[str, Any],
) -> None:
    """Record each row of a table as one MLflow run, and write which run is which row's.

    A row that is there already is left as it is. One with the same key and other numbers (made
    on another machine), or one that a crash left unfinished, is deleted and made anew.

    Parameters
    ----------
    table
        JSON of the table.
    runs
        Run files, named after their systems.
    artifacts
        Further files of a system, such as its training log.
    settings
        ``experiment``: its name. ``enabled``: if false nothing is recorded, and ``out`` has its
        header only.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, a run file is missing, or the store
        cannot be used.
    """
    settings = with_defaults(settings, {"experiment": "table1", "enabled": True})
    rows = gather(read_json(table), evaluations, runs, artifacts)
    lines: list[Sequence[str]] = []
    if settings["enabled"]:
        # Two seconds of imports, saved where tracking is off.
        from muver.tracking.store import open_experiment, open_store

        with open_store() as (client, folder):
            experiment = open_experiment(client, settings["experiment"], folder)
            # The UI shows the newest run first: recorded from the last row, they stand in order.
            for row in reversed(rows):
                run = record_row(client, experiment, row, table.with_suffix(".csv").as_posix())
                address = f"/#/experiments/{experiment}/runs/{run}?workflowType=machine_learning"
                lines.insert(0, (row.key, row.method, run, experiment, address))
    else:
        logger.info("tracking is off (tracking.enabled): no runs recorded")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *lines])
    write_text(out, text.getvalue())


def record_row(client: "MlflowClient", experiment: str, row: Row, table: str) -> str:
    """Find or make the run of a row; its id.

    The run is marked as finished when everything is in it, never before.
    """
    from mlflow.entities import Metric, Param

    numbers = describe.metrics(row.evaluation)
    found = client.search_runs([experiment], f"tags.row_key = '{row.key}'")
    same = [run for run in found if run.info.status == "FINISHED" and run.data.metrics == numbers]
    for run in found:
        if run not in same[:1]:
            finished = run.info.status == "FINISHED"
            why = "had other numbers or stood twice" if finished else "was not finished"
            logger.info("%s: deleted run %s, which %s", row.method, run.info.run_id, why)
            client.delete_run(run.info.run_id)
    if same:
        logger.info("%s: recorded before, run %s", row.method, same[0].info.run_id)
        return same[0].info.run_id

    tags = {
        **describe.tags(row.evaluation, row.method, row.key),
        **provenance(row.run_file),
        "mlflow.source.name": table,
        "mlflow.source.type": "JOB",
        "mlflow.note.content": describe.note(row.evaluation, row.method, row.key, table),
    }
    info = client.create_run(experiment, tags=tags, run_name=row.method).info
    parameters = [
        Param(name, text) for name, text in describe.parameters(row.evaluation["settings"]).items()
    ]
    for start in range(0, len(parameters), PARAMETERS_A_CALL):
        client.log_batch(info.run_id, params=parameters[start : start + PARAMETERS_A_CALL])
    client.log_batch(
        info.run_id,
        metrics=[Metric(name, value, info.start_time, 0) for name, value in numbers.items()],
    )
    client.log_artifact(info.run_id, str(row.run_file), "run")
    client.log_artifact(info.run_id, str(row.evaluation_file), "evaluation")
    client.log_text(info.run_id, describe.worlds_csv(row.evaluation), "evaluation/worlds.csv")
    for path in row.artifacts:
        client.log_artifact(info.run_id, str(path), "training")
    client.set_terminated(info.run_id)
    logger.info("%s: recorded as run %s", row.method, info.run_id)
    return info.run_id


def gather(
    table: Mapping[str, Any],
    evaluations: Sequence[Path],
    runs: Sequence[Path],
    artifacts: Sequence[tuple[str, Path]],
) -> list[Row]:
    """Bring together what belongs to each row of the table; everything is checked first."""
    files = {read_json(path)["system"]: path for path in evaluations}
    run_files = {path.stem: path for path in runs}
    gathered = []
    for row in table["rows"]:
        system = row["system"]
        if system not in files or system not in run_files:
            raise InputError(f"row {row['method']}: needs the evaluation and run of {system}.")
        evaluation = read_json(files[system])
        key = row_key(evaluation["settings"], evaluation["fingerprint"])
        if key != row["row_key"] or evaluation["hits"] != row["hits"]:
            raise InputError(
                f"{files[system]}: not what row {row['method']} of the table was made from: a "
                "results file from other parameters. Run the table stage again."
            )
        extra = [path for owner, path in artifacts if owner == system]
        for path in (run_files[system], *extra):
            if not path.is_file():
                raise InputError(f"{path}: no such file.")
        gathered.append(
            Row(row["method"], key, evaluation, files[system], run_files[system], extra)
        )
    if unknown := sorted({owner for owner, _ in artifacts} - set(files)):
        raise InputError(f"--artifacts: no row of the table is of system {', '.join(unknown)}.")
    return gathered
