"""The systems behind the tables' rows: their evaluations, checked against table and corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.results import Result
from muver.tables.keys import row_key

NEEDED = ("system", "fingerprint", "settings", "mentions", "hits", "micro", "cutoffs", "worlds")


@dataclass
class System:
    """A row's system.

    Attributes
    ----------
    name, method, key
        As the tables have them; the key is the row's.
    evaluation
        Its scores, or None where they cannot be read.
    tables
        Names of the tables in which it stands.
    """

    unit: ClassVar[str] = "world"  # what mentions are grouped by
    name: str
    method: str
    key: str
    evaluation: dict[str, Any] | None = None
    tables: list[str] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the row; empty without an evaluation."""
        return (self.evaluation or {}).get("settings", {})

    @property
    def parts(self) -> dict[str, dict[str, Any]]:
        """Its evaluations by name of set; the only one has none."""
        return {"": self.evaluation} if self.evaluation is not None else {}

    @property
    def split(self) -> str | None:
        """Which mentions it ranked for."""
        return self.settings.get("retrieve", {}).get("split")


def read_systems(results: Sequence[Result], places: Places, problems: Problems) -> list[System]:
    """Every system that stands in a table of recall, in the order of the tables.

    Told as problems: evaluations that are missing, damaged, of other settings or data than the
    table (two stores mixed), or with other hits; tables of other data than the corpus.
    """
    found: dict[str, System] = {}
    compared = [result for result in results if result.compares]
    for result in compared:
        _check_corpus(result, places, problems)
    for result, row, system in rows_of(compared, found, System, problems):
        if system.evaluation is None:
            system.evaluation = read_evaluation(system, places, problems)
        if system.evaluation is not None and row["hits"] is not None:
            _check_row(result, row, system, problems)
    return list(found.values())


def rows_of(
    results: Sequence[Result], found: dict[str, Any], kind: type[System], problems: Problems
) -> Iterator[tuple[Result, dict[str, Any], Any]]:
    """Rows with their systems, which are collected in ``found``.

    A row whose system has another key in an earlier table is told and left out.
    """
    for result in results:
        for row in result.rows:
            name, method, key = row["system"], row["method"], row["row_key"]
            system = found.setdefault(name, kind(name, method, key))
            if result.name not in system.tables:
                system.tables.append(result.name)
            if system.key == key:
                yield result, row, system
            else:
                problems.tell(
                    f"{method}: {result.name} has the row key {key}, {system.tables[0]} has "
                    f"{system.key}: tables of different runs. Make both again."
                )


def read_evaluation(
    system: System, places: Places, problems: Problems, part: str = ""
) -> dict[str, Any] | None:
    """A system's scores, of a set where there are sets; None, which is told, without any."""
    path = places.evaluation(system.name, part)
    try:
        evaluation = read_json(path)
    except (InputError, OSError, UnicodeDecodeError):
        evaluation = None
    if not isinstance(evaluation, dict) or any(key not in evaluation for key in NEEDED):
        problems.tell(
            f"{system.method}: its evaluation {places.shown(path)}{part and f' on {part}'} is "
            "missing or damaged, so its settings cannot be shown. Make it again: it is an output "
            "of the rule evaluate."
        )
        return None
    return evaluation


def check_keys(result: Result, row: dict[str, Any], key: str, problems: Problems) -> bool:
    """Whether a row has the key that its evaluation gives; told if not."""
    if key != row["row_key"]:
        problems.tell(
            f"{result.name}, {row['method']}: the table's row key is {row['row_key']}, the "
            f"evaluation's is {key}: two stores are mixed, the numbers of this row are not from "
            "the settings shown. Make the table again."
        )
    return key == row["row_key"]


def tell_hits(result: Result, row: dict[str, Any], problems: Problems) -> None:
    """Say that a row has other hits than its evaluation."""
    problems.tell(
        f"{result.name}, {row['method']}: other hits than in its evaluation: a file was changed "
        "after it was made. Make the table again."
    )


def _check_row(result: Result, row: dict[str, Any], system: System, problems: Problems) -> None:
    """The key again from the evaluation's settings, and the hits."""
    evaluation = system.evaluation
    key = row_key(evaluation["settings"], evaluation["fingerprint"])
    hits = (
        evaluation["worlds"].get(row["domain"], {}).get("hits")
        if "domain" in row
        else evaluation["hits"]
    )
    if not check_keys(result, row, key, problems):
        return
    if hits is None or not row["hits"].items() <= hits.items():
        tell_hits(result, row, problems)
    else:
        problems.held("rows of tables")


def _check_corpus(result: Result, places: Places, problems: Problems) -> None:
    try:
        counts = read_json(places.counts)
    except (InputError, OSError):
        return  # what is missing is told where it is needed
    if isinstance(counts, dict) and counts.get("fingerprint") != result.data["fingerprint"]:
        problems.tell(
            f"{result.name} is of the data {result.data['dataset']} with the fingerprint "
            f"{result.data['fingerprint']}; the corpus has {counts.get('fingerprint')}: two stores "
            "are mixed."
        )
