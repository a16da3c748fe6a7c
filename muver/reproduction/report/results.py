"""A run for the page: where its files lie, its results, the systems behind their rows."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muver.io.checksums import check
from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import data_fingerprint, row_key
from muver.reproduction.tables.records import AnyResult, Table, read_result
from muver.retriever.evaluation.records import Evaluation, read_evaluation

Addresses = dict[tuple[str, str], str]


@dataclass(frozen=True)
class RunFiles:
    """The folders of a run, as the workflow fills them."""

    results: Path  # tables and figures
    workspace: Path  # what was built, build/<workspace>/current

    def table(self, name: str, suffix: str = ".json") -> Path:
        return self.results / f"{name}{suffix}"

    def run(self, system: str, set_name: str) -> Path:
        return self.workspace / "runs" / set_name / f"{system}.parquet"

    def evaluation(self, system: str, set_name: str) -> Path:
        return self.workspace / "evaluations" / set_name / f"{system}.json"

    def recorded(self, table: str) -> Path:
        """Which MLflow run belongs to which row of a table."""
        return self.workspace / "recorded" / f"{table}.csv"

    def corpus(self, file: str) -> Path:
        """A file of the corpus of worlds."""
        return self.workspace / "corpus" / file

    @property
    def sentences(self) -> Path:
        return self.workspace / "segment" / "sentences.parquet"

    def shown(self, path: Path) -> str:
        """A file's name for the page: as the project knows it, never a place on this machine."""
        return path.name if path.is_absolute() else path.as_posix()

    def without_folders(self, message: object) -> str:
        """A message that names files of this run, without the folders of this machine."""
        for folder in (self.results, self.workspace, self.workspace.parent):
            message = str(message).replace(f"{folder}/", "")
        return message


def read_results(names: Sequence[str], files: RunFiles, problems: list[str]) -> list[AnyResult]:
    """Read the results named; one that is missing or damaged is left out, which is a problem."""
    results = []
    for name in names:
        try:
            results.append(read_result(files.table(name)))
        except InputError as error:
            problems.append(f"{name}: {files.without_folders(error)}")
    return results


def read_recorded(results: Sequence[AnyResult], files: RunFiles) -> Addresses:
    """Addresses in MLflow's pages, after its base, by table and row key.

    A table without a list of runs was not recorded, or on another machine.
    """
    addresses = {}
    for result in results:
        recorded = files.recorded(result.name)
        check([recorded])
        text = recorded.read_text(encoding="utf-8") if recorded.is_file() else ""
        for line in csv.DictReader(text.splitlines()):
            if line["address"].startswith("/"):
                addresses[result.name, line["row_key"]] = line["address"]
    return addresses


@dataclass
class System:
    """The system of a row."""

    name: str
    method: str
    key: str  # the row's
    titles: dict[str, str]  # what the table calls its sets, by name of the set
    against: str | None = None  # the system that its first table tests it against
    # By name of the set; empty if those of any set cannot be read
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)  # that it stands in

    @property
    def evaluation(self) -> Evaluation:
        """Scores on the first set; all sets have the same settings and cutoffs."""
        return next(iter(self.evaluations.values()))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the row; empty without an evaluation."""
        return self.evaluation.settings if self.evaluations else {}

    @property
    def over_kb(self) -> bool:
        """Whether its candidates come from one knowledge base, not from worlds."""
        return self.evaluation.kb is not None


def read_systems(
    results: Sequence[AnyResult], files: RunFiles, problems: list[str]
) -> list[System]:
    """Every system that stands in a table of recall, in the order of the tables.

    Evaluations lie under names without keys. So those of a table that was not made again after a
    change of settings are of other rows, which is a problem, as missing ones are.
    """
    systems: dict[str, System] = {}
    for table in results:
        if not isinstance(table, Table):
            continue
        for row in table.rows:
            name = row.system
            if name not in systems:
                titles = {of_set.set: of_set.column for of_set in table.sets}
                systems[name] = System(name, row.method, row.row_key, titles, table.against)
                try:
                    systems[name].evaluations = {
                        set_name: read_evaluation(files.evaluation(name, set_name))
                        for set_name in titles
                    }
                except InputError as error:
                    problems.append(
                        f"{row.method}: its settings cannot be shown. "
                        f"{files.without_folders(error)} The rule evaluate makes it."
                    )
            system = systems[name]
            if table.name not in system.tables:
                system.tables.append(table.name)
            if system.evaluations:
                key = row_key(system.settings, data_fingerprint(system.evaluations))
                if key != row.row_key:
                    problems.append(
                        f"{table.name}, {row.method}: the table's row key is {row.row_key}, the "
                        f"evaluation's is {key}, so the numbers of this row are not from the "
                        "settings shown. Make the table again."
                    )
    return list(systems.values())
