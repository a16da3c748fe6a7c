"""The files that a table's rows are recorded from; all are there and unchanged."""

from pathlib import Path
from typing import NamedTuple

from muver.evaluation.records import Evaluation, read_evaluation
from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.tracking.settings import Recording

BySystem = dict[str, dict[str, Path]]


class Scored(NamedTuple):
    """An evaluation, its file, and the run that it is of."""

    evaluation: Evaluation
    path: Path
    run: Path


class Files:
    """Evaluations and runs by system and set, and further files by system.

    A run belongs to the evaluation that has its SHA-256. Benchmark files may be of other tables.

    Raises
    ------
    InputError
        If a file is missing, a run was changed after it was scored, or an artifact is of a system
        without evaluation or has the name of another.
    """

    def __init__(self, settings: Recording):
        self.artifacts, self.benchmarks = _by_name(settings.artifacts), stages_of(settings)
        self.figures = [Path(figure) for figure in settings.figures]
        runs = [Path(run) for run in settings.runs]
        further = (path for own in self.artifacts.values() for path in own.values())
        for path in (*runs, *further, *self.figures):
            if not path.is_file():
                raise InputError(f"{path}: no such file.")
        hashes = [(sha256_of(run), run) for run in runs]
        self.scored: dict[tuple[str, str], Scored] = {}
        for path in map(Path, settings.evaluations):
            evaluation = read_evaluation(path)
            system, on = evaluation.system, evaluation.set
            own = [run for digest, run in hashes if digest == evaluation.run_sha256]
            if not own:
                raise InputError(
                    f"{path}: none of the runs is the run of {system} on {on} that it scored (its "
                    "SHA-256 is another). Remove the run and let the workflow make it again."
                )
            # Two systems may have equal runs.
            run = max(own, key=lambda run: system in run.name)
            self.scored[system, on] = Scored(evaluation, path, run)
        for system in self.artifacts:
            if system not in {of for of, _ in self.scored}:
                raise InputError(f"artifacts: no row of the table is of system {system}.")

    def of(self, system: str, on: str, method: str) -> Scored:
        """What the system of a row was scored with on a set."""
        if (system, on) not in self.scored:
            raise InputError(f"row {method}: needs the evaluation and run of {system} on {on}.")
        return self.scored[system, on]


def stages_of(settings: Recording) -> BySystem:
    """Snakemake's benchmark files by system (or point of the grid) and stage."""
    return {
        system: {stage: Path(file) for stage, file in own.items()}
        for system, own in settings.benchmarks.items()
    }


def _by_name(artifacts: dict[str, list[str]]) -> BySystem:
    found: BySystem = {system: {} for system in artifacts}
    for system, files in artifacts.items():
        for path in map(Path, files):
            if path.name in found[system]:
                raise InputError(
                    f"{path}: the second file {path.name} of system {system}. Leave one out."
                )
            found[system][path.name] = path
    return found
