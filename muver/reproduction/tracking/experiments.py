"""Experiments: one a table, described by the table itself, with its recall beside the runs.

MLflow keeps what its list of runs shows as a tag of the experiment. An address can name such a
view, and MLflow's pages keep the one last used in the browser.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from mlflow import MlflowClient
from mlflow.entities import Experiment
from mlflow.exceptions import MlflowException
from mlflow.utils.mlflow_tags import MLFLOW_RUN_NOTE

from muver.io.progress import logger
from muver.reproduction.tracking.entry import Entry
from muver.reproduction.tracking.store import patiently

# Opens it as trained models and not as traces of a chat, on pages that do not ask the browser
# instead (muver.reproduction.tracking.audit). MLflow has no Python name for the tag.
KIND = {"mlflow.experimentKind": "custom_model_development"}
ROOM = 4500  # characters of a description; MLflow's servers take 5000 or more
VIEW = "mlflow.sharedViewState.recall"  # MLflow has no Python name for it
IN_VIEW = "viewStateShareKey=recall"  # what follows the address of an experiment's runs
# Columns that are always there, with their width in pixels.
FIRST = {"attributes.`Run Name`": 240, "runDateAndNestInfo": 150, "duration": 80}


def open_experiment(client: MlflowClient, name: str, artifacts: Path | None) -> str:
    """Return the id of an experiment, made or restored if need be.

    MLflow keeps the absolute path of an experiment's artifacts. After the project's folder was
    moved, the old experiment is set aside under another name and a new one is made, so that
    nothing is written where the folder used to be.
    """
    location = None if artifacts is None else (artifacts / name).as_uri()
    found = client.get_experiment_by_name(name)
    if found and location and _was_moved(found.artifact_location, location):
        aside = f"{name} (before the move, {found.experiment_id})"
        client.rename_experiment(found.experiment_id, aside)
        logger.info("the folder was moved: experiment %s is now called %r", name, aside)
        found = None
    if found is None:
        try:
            return client.create_experiment(name, artifact_location=location, tags=KIND)
        except MlflowException as error:
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(name)  # another recorder made it meanwhile
    if found.lifecycle_stage != "active":
        client.restore_experiment(found.experiment_id)
        logger.info("experiment %s had been deleted; restored it", name)
    return found.experiment_id


def _was_moved(found: str, ours: str) -> bool:
    """Whether artifacts lie in a folder of our making that is not the one we use now."""
    return found != ours and found.split("/")[-2:] == ours.split("/")[-2:]


def describe_experiment(
    client: MlflowClient, experiment: str, entries: Sequence[Entry], table: Path
) -> None:
    """Show recall beside the runs and, if there is Markdown beside ``table``, that above them."""
    known = client.get_experiment(experiment)
    tags = {VIEW: _view(entries, known.creation_time), **KIND}
    markdown = table.with_suffix(".md")
    if markdown.is_file():
        tags[MLFLOW_RUN_NOTE] = _description(markdown)
    for name, value in tags.items():
        patiently(client.set_experiment_tag, experiment, name, value)


def _description(source: Path) -> str:
    """The first sections that have room, with columns apart where MLflow's pages join them."""
    text = re.sub(
        r"^\|(?! ---).*",
        lambda line: line[0].replace(" |", "&ensp;|"),
        source.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    if len(text) <= ROOM:
        return text
    cut = max(text.rfind("\n## ", 0, ROOM), 0) or text.rfind("\n", 0, ROOM)
    return f"{text[:cut].rstrip()}\n\nThe rest stands in `{source.as_posix()}`.\n"


def _view(entries: Iterable[Entry], created: int) -> str:
    """The columns of the entries and of those under them, and the rows' order; ``made`` when."""
    columns = {column: 20 + 7 * len(column.split("`")[1]) for column in _columns(entries)}
    state = {
        "orderByKey": "tags.`position`",
        "orderByAsc": True,
        "selectedColumns": list(columns),
        "columnOrder": [*FIRST, *columns],  # without it pages leave the widths aside
        "columnWidths": {**FIRST, **columns},
        "runsHiddenMode": "SHOW_ALL",  # charts of all rows, not of the first ten
    }
    return json.dumps({"name": "Recall", "createdAt": created, "state": json.dumps(state)})


def _columns(entries: Iterable[Entry]) -> Iterable[str]:
    for entry in entries:
        yield from entry.columns
        yield from _columns(entry.children)


def views_in_browser(experiments: Iterable[Experiment]) -> dict[str, str]:
    """Keys and values by which a browser keeps these views as those last used."""
    return {
        f'MLflowLocalStorage-1.1-ExperimentPage-["{one.experiment_id}"]-ReactComponentState': (
            json.loads(one.tags[VIEW])["state"]
        )
        for one in experiments
        if VIEW in one.tags
    }
