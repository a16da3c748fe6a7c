"""The files that a table's rows are recorded from; all are there and unchanged."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from muver.evaluation.records import Evaluation, read_evaluation
from muver.io.errors import InputError
from muver.io.files import sha256_of

BySystem = dict[str, dict[str, Path]]


class Scored(NamedTuple):
    """An evaluation, its file, and the run that it is of."""

    evaluation: Evaluation
    path: Path
    run: Path


class Files:
    """Evaluations and runs by system and set, and further files by system.

    Parameters
    ----------
    evaluations, runs
        The evaluations of a table, and the runs that they are of, told by their SHA-256.
    artifacts
        Further files of a system, such as its training log: (system, name, file).
    benchmarks
        Snakemake's benchmark files: (system, stage, file). Systems of other tables and files that
        are not there are passed over.
    figures
        Figures of the table as a whole.

    Raises
    ------
    InputError
        If a file is missing, a run was changed after it was scored, or an artifact is of a system
        without evaluation or has the name of another.
    """

    def __init__(
        self,
        evaluations: Sequence[Path],
        runs: Sequence[Path],
        artifacts: Sequence[tuple[str, str, Path]] = (),
        benchmarks: Iterable[tuple[str, str, Path]] = (),
        figures: Sequence[Path] = (),
    ):
        for path in (*runs, *(path for *_, path in artifacts), *figures):
            if not path.is_file():
                raise InputError(f"{path}: no such file.")
        self.artifacts, self.benchmarks = by_system(artifacts), by_system(benchmarks)
        self.figures = figures
        hashes = [(sha256_of(run), run) for run in runs]
        self.scored: dict[tuple[str, str], Scored] = {}
        for path in evaluations:
            evaluation = read_evaluation(path)
            system, on = evaluation.system, evaluation.set
            own = [run for digest, run in hashes if digest == evaluation.run_sha256]
            if not own:
                raise InputError(
                    f"{path}: none of --runs is the run of {system} on {on} that it scored (its "
                    "SHA-256 is another). Remove the run and let the workflow make it again."
                )
            # Two systems may have equal runs.
            run = max(own, key=lambda run: system in run.name)
            self.scored[system, on] = Scored(evaluation, path, run)
        for system in self.artifacts:
            if system not in {of for of, _ in self.scored}:
                raise InputError(f"--artifacts: no row of the table is of system {system}.")

    def of(self, system: str, on: str, method: str) -> Scored:
        """What the system of a row was scored with on a set."""
        if (system, on) not in self.scored:
            raise InputError(f"row {method}: needs the evaluation and run of {system} on {on}.")
        return self.scored[system, on]


def by_system(files: Iterable[tuple[str, str, Path]]) -> BySystem:
    """Files by system and name."""
    found: BySystem = {}
    for system, name, path in files:
        if name in found.setdefault(system, {}):
            raise InputError(f"{path}: the second file {name} of system {system}. Leave one out.")
        found[system][name] = path
    return found
