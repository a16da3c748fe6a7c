"""The systems behind the tables' rows: their evaluations, checked against table and data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.problems import Problems
from muver.reproduction.report.results import Result
from muver.reproduction.tables.keys import data_fingerprint, row_key
from muver.reproduction.tables.records import ComparisonTable, DomainRow, RecallTable, Row
from muver.retriever.evaluation.records import Counts, Evaluation, read_evaluation


@dataclass
class System:
    """The system of a row.

    Attributes
    ----------
    name, method, key
        As the tables have them; the key is the row's.
    titles
        What the table calls its sets, by name of the set.
    evaluations
        Its scores by name of the set; empty if those of any set cannot be read.
    tables
        Names of the tables it stands in.
    against
        Name of the system that its first table tests it against.
    """

    name: str
    method: str
    key: str
    titles: dict[str, str]
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)
    against: str | None = None

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


def read_systems(results: Sequence[Result], files: RunFiles, problems: Problems) -> list[System]:
    """Every system that stands in a table of recall, in the order of the tables.

    Problems are evaluations that are missing or damaged, rows with another key or other hits than
    their evaluation (two stores mixed), and tables of other data than the corpus or knowledge base.
    """
    systems: dict[str, System] = {}
    for result in results:
        table = result.compared
        if table is None:
            continue
        _check_data(result.name, table, files, problems)
        against = table.against if isinstance(table, ComparisonTable) else None
        for row in table.rows:
            name, method, key = row.system, row.method, row.row_key
            if name not in systems:
                titles = {one.set: one.column for one in table.sets}
                systems[name] = System(
                    name, method, key, titles, against=against and against.system
                )
                _read_evaluations(systems[name], files, problems)
            system = systems[name]
            if result.name not in system.tables:
                system.tables.append(result.name)
            if system.key != key:
                problems.add(
                    f"{method}: {result.name} has the row key {key}, {system.tables[0]} has "
                    f"{system.key}: tables of different runs. Make both again."
                )
            elif system.evaluations:
                _check_row(result.name, row, system, problems)
    return list(systems.values())


def _read_evaluations(system: System, files: RunFiles, problems: Problems) -> None:
    evaluations = {}
    for name in system.titles:
        path = files.evaluation(system.name, name)
        try:
            evaluations[name] = read_evaluation(path)
        except InputError:
            problems.add(
                f"{system.method}: its evaluation {files.shown(path)} on {name} is missing or "
                "damaged, so its settings cannot be shown. Make it again: it is an output of the "
                "rule evaluate."
            )
            return
    system.evaluations = evaluations


def _check_row(table: str, row: Row, system: System, problems: Problems) -> None:
    """Compute the row's key again from settings and data, and compare its hits."""
    place = f"{table}, {row.method}"
    key = row_key(system.settings, data_fingerprint(system.evaluations))
    if key != row.row_key:
        problems.add(
            f"{place}: the table's row key is {row.row_key}, the evaluation's is {key}: two "
            "stores are mixed, the numbers of this row are not from the settings shown. Make the "
            "table again."
        )
        return
    hits = {name: part.hits for name, part in row.sets.items()}
    if not all(hits.values()):
        return  # the mean of domains has none
    if all(own == _hits(system.evaluations[name], row) for name, own in hits.items()):
        problems.passes("row of a table", "rows of tables")
    else:
        problems.add(
            f"{place}: other hits than in its evaluation: a file was changed after it was made. "
            "Make the table again."
        )


def _hits(evaluation: Evaluation, row: Row) -> Counts:
    """Hits on a set, or in the world that a row is about."""
    if not isinstance(row, DomainRow):
        return evaluation.hits
    world = evaluation.worlds.get(row.domain)
    return world.hits if world else {}


def _check_data(name: str, table: RecallTable, files: RunFiles, problems: Problems) -> None:
    """Compare the fingerprint of a table's data with that of the corpus or knowledge base here."""
    path, what = files.counts, "corpus"
    if table.kb:
        path, what = files.kb / "manifest.json", "knowledge base"
    try:
        here = str(read_json(path)["fingerprint"])
    except (InputError, KeyError, TypeError):
        return  # a missing file is a problem only where it is needed
    theirs = (table.kb or table).fingerprint
    if here != theirs:
        problems.add(
            f"{name} is of a {what} with the fingerprint {theirs[:16]}; the {what} here has "
            f"{here[:16]}: two stores are mixed."
        )
