"""A table's rows as entries: one run a row, or a parent with one run a seed under it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from muver.errors import InputError
from muver.files import read_json
from muver.tables.keys import row_key
from muver.tracking import describe
from muver.tracking.curves import LOG_NAME, curves
from muver.tracking.entry import Entry
from muver.tracking.seeds import above_seeds

Row = Mapping[str, Any]


class Files:
    """Evaluations, runs and further files by system.

    Parameters
    ----------
    artifacts
        Further files of a system, such as its training log.

    Raises
    ------
    InputError
        If an artifact is of a system without evaluation, or two of one system share a name.
    """

    def __init__(
        self,
        evaluations: Iterable[Path],
        runs: Iterable[Path],
        artifacts: Sequence[tuple[str, Path]],
    ):
        found = [(path, read_json(path)) for path in evaluations]
        self.paths = {evaluation["system"]: path for path, evaluation in found}
        self.evaluations = {evaluation["system"]: evaluation for _, evaluation in found}
        self.runs = {path.stem: path for path in runs}
        self.artifacts: dict[str, dict[str, Path]] = {}
        for system, path in artifacts:
            if system not in self.evaluations:
                raise InputError(f"--artifacts: no row of the table is of system {system}.")
            named = self.artifacts.setdefault(system, {})
            if path.name in named:
                raise InputError(f"--artifacts: two files {path.name} of system {system}.")
            named[path.name] = path

    def of(self, system: str, method: str) -> tuple[Path, list[Path]]:
        """A system's run file and its further files, all of which are there."""
        if system not in self.evaluations or system not in self.runs:
            raise InputError(f"row {method}: needs the evaluation and run of {system}.")
        further = list(self.artifacts.get(system, {}).values())
        for path in (self.runs[system], *further):
            if not path.is_file():
                raise InputError(f"{path}: no such file.")
        return self.runs[system], further


def entries(table: Mapping[str, Any], source: str, files: Files) -> list[Entry]:
    """What is recorded of each row, in the table's order; everything is checked first.

    Parameters
    ----------
    table
        JSON of the table.
    source
        Path of the table's CSV, as the workflow names it.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, or a file is missing.
    """
    times = Counter(row["method"] for row in table["rows"])
    found = []
    for row in table["rows"]:
        entry = _row(row, source, files)
        if times[row["method"]] > 1:  # the layers of Table 3
            entry = replace(entry, name=f"{entry.name} ({row['system']})")
        found.append(entry)
    return found


def _row(row: Row, source: str, files: Files) -> Entry:
    system, method = row["system"], row["method"]
    own = _entry(system, method, source, files)
    evaluation = files.evaluations[system]
    if own.key != row["row_key"] or not _made_of(row, evaluation):
        raise _of_other_parameters(files.paths[system], method)
    numbers, verdicts = describe.against(row, describe.digits(evaluation["cutoffs"]))
    own = replace(own, metrics={**own.metrics, **numbers}, tags={**own.tags, **verdicts})
    if not row.get("seeds"):
        return own
    runs = [own]
    for other, recall in row["seeds"]["values"].items():
        if other != system:
            runs.append(_entry(other, method, source, files))
            if files.evaluations[other]["micro"] != recall:
                raise _of_other_parameters(files.paths[other], method)
    return above_seeds(own, runs, row["seeds"], evaluation["cutoffs"])


def _entry(system: str, method: str, source: str, files: Files) -> Entry:
    """A run of one system."""
    run_file, further = files.of(system, method)
    evaluation = files.evaluations[system]
    key = row_key(evaluation["settings"], evaluation["fingerprint"])
    return Entry(
        key=key,
        name=method,
        tags=describe.tags(evaluation, method),
        metrics=describe.metrics(evaluation),
        parameters=describe.parameters(evaluation["settings"]),
        note=describe.note(evaluation, method, key, source),
        source=source,
        curves=[point for path in further if path.name == LOG_NAME for point in curves(path)],
        hashed=run_file,
        files=[
            (run_file, "run"),
            (files.paths[system], "evaluation"),
            *((path, "training") for path in further),
        ],
        texts={"evaluation/worlds.csv": describe.worlds_csv(evaluation)},
    )


def _made_of(row: Row, evaluation: Mapping[str, Any]) -> bool:
    """Whether a row's hits, at the cutoffs it has, are the evaluation's."""
    return row["hits"].items() <= evaluation["hits"].items()


def _of_other_parameters(path: Path, method: str) -> InputError:
    return InputError(
        f"{path}: not what row {method} of the table was made from: a results file from other "
        "parameters. Run the table stage again."
    )
