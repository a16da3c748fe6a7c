"""What MLflow's list of runs shows of an experiment: recall beside each row, in the table's order.

MLflow keeps such a view as a tag of the experiment. An address can name it, and MLflow's pages keep
the view last used in the browser.
"""

import json
from collections.abc import Iterable

from mlflow.entities import Experiment

from muver.tracking.entry import Entry

NAME = "recall"
TAG = f"mlflow.sharedViewState.{NAME}"  # MLflow has no Python name for it
# Columns that are always there, with their width in pixels.
FIRST = {"attributes.`Run Name`": 240, "runDateAndNestInfo": 150, "duration": 80}
ADDRESS = f"viewStateShareKey={NAME}"  # what follows the address of an experiment's runs


def view(entries: Iterable[Entry], made: int) -> str:
    """The tag's value: the columns of the entries and of those under them, and the rows' order.

    Parameters
    ----------
    made
        When the view was made, in milliseconds of POSIX time.
    """
    columns = {column: 20 + 7 * len(column.split("`")[1]) for column in _columns(entries)}
    state = {
        "orderByKey": "tags.`position`",
        "orderByAsc": True,
        "selectedColumns": list(columns),
        "columnOrder": [*FIRST, *columns],  # without it pages leave the widths aside
        "columnWidths": {**FIRST, **columns},
        "runsHiddenMode": "SHOW_ALL",  # charts of all rows, not of the first ten
    }
    return json.dumps({"name": "Recall", "createdAt": made, "state": json.dumps(state)})


def _columns(entries: Iterable[Entry]) -> Iterable[str]:
    for entry in entries:
        yield from entry.columns
        yield from _columns(entry.children)


def in_browser(experiments: Iterable[Experiment]) -> dict[str, str]:
    """Keys and values by which a browser keeps these views as those last used."""
    return {
        f'MLflowLocalStorage-1.1-ExperimentPage-["{one.experiment_id}"]-ReactComponentState': (
            json.loads(one.tags[TAG])["state"]
        )
        for one in experiments
        if TAG in one.tags
    }
