"""Experiments: one a table, described by the table itself, with its recall beside the runs."""

from collections.abc import Sequence
from pathlib import Path

from mlflow import MlflowClient
from mlflow.utils.mlflow_tags import MLFLOW_RUN_NOTE

from muver.io.progress import logger
from muver.tracking import shown
from muver.tracking.entry import Entry
from muver.tracking.notes import spaced

# Opens it as trained models and not as traces of a chat, on pages that do not ask the browser
# instead (muver.tracking.audit). MLflow has no Python name for the tag.
KIND = {"mlflow.experimentKind": "custom_model_development"}
ROOM = 4500  # characters of a description; MLflow's servers take 5000 or more


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
        return client.create_experiment(name, artifact_location=location, tags=KIND)
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
    tags = {shown.TAG: shown.view(entries, known.creation_time), **KIND}
    markdown = table.with_suffix(".md")
    if markdown.is_file():
        text = spaced(markdown.read_text(encoding="utf-8"))
        tags[MLFLOW_RUN_NOTE] = _shortened(text, markdown)
    for name, value in tags.items():
        if known.tags.get(name) != value:
            client.set_experiment_tag(experiment, name, value)


def _shortened(text: str, source: Path) -> str:
    """The text's first sections that have room."""
    if len(text) <= ROOM:
        return text
    cut = max(text.rfind("\n## ", 0, ROOM), 0) or text.rfind("\n", 0, ROOM)
    return f"{text[:cut].rstrip()}\n\nThe rest stands in `{source.as_posix()}`.\n"
