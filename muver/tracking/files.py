"""The files that a table's rows are recorded from, by system and set; all are there and whole."""

from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of

Place = tuple[str, str]  # a system and a set; "" where there are no sets


class Scored(NamedTuple):
    """An evaluation, its file, and the run that it is of."""

    evaluation: dict[str, Any]
    path: Path
    run: Path


class Files:
    """Evaluations and runs by system, or by system and set, and further files by system.

    Parameters
    ----------
    evaluations, runs
        Runs are named after their systems, and lie in folders named after the sets.
    artifacts
        Further files of a system, such as its training log.
    benchmarks
        ``system:stage`` and Snakemake's benchmark file of that stage. Systems of other tables and
        files that are not there are passed over.
    figures
        Figures of the table as a whole.
    source
        Where the dataset comes from.
    sets
        Whether a system has an evaluation and a run for each of several sets.

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
        benchmarks: Sequence[tuple[str, Path]] = (),
        figures: Sequence[Path] = (),
        source: str = "",
        sets: bool = False,
    ):
        self.paths: dict[Place, Path] = {}
        self.evaluations: dict[Place, dict[str, Any]] = {}
        for path in evaluations:
            evaluation = read_json(path)
            place = evaluation["system"], evaluation["set"] if sets else ""
            self.paths[place], self.evaluations[place] = path, evaluation
        self.runs = {(path.stem, path.parent.name if sets else ""): path for path in runs}
        self.benchmarks = by_stage(benchmarks)
        self.figures, self.source = figures, source
        self.artifacts = further_files({system for system, _ in self.paths}, artifacts)
        for path in figures:
            if not path.is_file():
                raise InputError(f"{path}: no such file.")

    def of(self, system: str, method: str, part: str = "") -> Scored:
        """What a system was scored with, on a set; all is there and unchanged."""
        place, on = (system, part), f" on {part}" if part else ""
        if place not in self.evaluations or place not in self.runs:
            raise InputError(f"row {method}: needs the evaluation and run of {system}{on}.")
        run, evaluation = self.runs[place], self.evaluations[place]
        for path in (run, *self.further(system)):
            if not path.is_file():
                raise InputError(f"{path}: no such file.")
        scored = evaluation.get("run_sha256")  # none where an older muver scored
        if scored is not None and scored != sha256_of(run):
            raise InputError(
                f"{run}: changed since {self.paths[place]} scored it (another SHA-256), so row "
                f"{method} is not recorded with it. Remove it and let the workflow make it again."
            )
        return Scored(evaluation, self.paths[place], run)

    def further(self, system: str) -> list[Path]:
        """A system's further files."""
        return list(self.artifacts.get(system, {}).values())


def further_files(
    systems: Container[str], artifacts: Iterable[tuple[str, Path]]
) -> dict[str, dict[str, Path]]:
    """Further files by system and name.

    Raises
    ------
    InputError
        If one is of a system that is not among ``systems``, or two of one system share a name.
    """
    found: dict[str, dict[str, Path]] = {}
    for system, path in artifacts:
        if system not in systems:
            raise InputError(f"--artifacts: no row of the table is of system {system}.")
        named = found.setdefault(system, {})
        if path.name in named:
            raise InputError(f"--artifacts: two files {path.name} of system {system}.")
        named[path.name] = path
    return found


def of_other_parameters(path: Path, method: str) -> InputError:
    """What to say of an evaluation that the table was not made from."""
    return InputError(
        f"{path}: not what row {method} of the table was made from: a results file from other "
        "parameters. Run the table stage again."
    )


def by_stage(benchmarks: Iterable[tuple[str, Path]]) -> dict[str, dict[str, Path]]:
    """Benchmark files by system and stage, from ``system:stage`` and file.

    Raises
    ------
    InputError
        If a name has no stage.
    """
    found: dict[str, dict[str, Path]] = {}
    for name, path in benchmarks:
        system, colon, stage = name.partition(":")
        if not (system and colon and stage):
            raise InputError(f"--benchmarks: expected SYSTEM:STAGE=FILE, got {name}={path}.")
        found.setdefault(system, {})[stage] = path
    return found
