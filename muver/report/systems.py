"""The systems behind the tables' rows: their evaluations, checked against table and data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.report.files import RunFiles
from muver.report.problems import Problems
from muver.report.results import Result
from muver.tables.keys import data_fingerprint, row_key

KEYS = ("settings", "fingerprint", "kb", "cutoffs", "hits", "worlds", "run_sha256")


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
    evaluations: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)
    against: str | None = None

    @property
    def evaluation(self) -> dict[str, Any]:
        """Scores on the first set; all sets have the same settings and cutoffs."""
        return next(iter(self.evaluations.values()))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the row; empty without an evaluation."""
        return self.evaluation["settings"] if self.evaluations else {}

    @property
    def over_kb(self) -> bool:
        """Whether its candidates come from one knowledge base, not from worlds."""
        return self.evaluation["kb"] is not None


def read_systems(results: Sequence[Result], files: RunFiles, problems: Problems) -> list[System]:
    """Every system that stands in a table of recall, in the order of the tables.

    Problems are evaluations that are missing or damaged, rows with another key or other hits than
    their evaluation (two stores mixed), and tables of other data than the corpus or knowledge base.
    """
    systems: dict[str, System] = {}
    for result in results:
        if not result.compares:
            continue
        _check_data(result, files, problems)
        for row in result.rows:
            name, method, key = row["system"], row["method"], row["row_key"]
            if name not in systems:
                against = (result.data.get("against") or {}).get("system")
                systems[name] = System(name, method, key, result.sets, against=against)
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
                _check_row(result, row, system, problems)
    return list(systems.values())


def _read_evaluations(system: System, files: RunFiles, problems: Problems) -> None:
    evaluations = {}
    for name in system.titles:
        path = files.evaluation(system.name, name)
        try:
            evaluation = read_json(path)
        except (InputError, OSError, UnicodeDecodeError):
            evaluation = None
        if not isinstance(evaluation, dict) or any(key not in evaluation for key in KEYS):
            problems.add(
                f"{system.method}: its evaluation {files.shown(path)} on {name} is missing or "
                "damaged, so its settings cannot be shown. Make it again: it is an output of the "
                "rule evaluate."
            )
            return
        evaluations[name] = evaluation
    system.evaluations = evaluations


def _check_row(result: Result, row: dict[str, Any], system: System, problems: Problems) -> None:
    """Compute the row's key again from settings and data, and compare its hits."""
    place = f"{result.name}, {row['method']}"
    key = row_key(system.settings, data_fingerprint(system.evaluations))
    if key != row["row_key"]:
        problems.add(
            f"{place}: the table's row key is {row['row_key']}, the evaluation's is {key}: two "
            "stores are mixed, the numbers of this row are not from the settings shown. Make the "
            "table again."
        )
        return
    hits = {name: result.part(row, name)["hits"] for name in result.sets}
    if any(own is None for own in hits.values()):
        return  # the mean of domains has none
    if all(own.items() <= _hits(system, name, row).items() for name, own in hits.items()):
        problems.passes("row of a table", "rows of tables")
    else:
        problems.add(
            f"{place}: other hits than in its evaluation: a file was changed after it was made. "
            "Make the table again."
        )


def _hits(system: System, set_name: str, row: dict[str, Any]) -> dict[str, int]:
    """Hits by cutoff on a set, or in the world that a row is about."""
    evaluation = system.evaluations[set_name]
    part = evaluation["worlds"].get(row["domain"], {}) if "domain" in row else evaluation
    return part.get("hits", {})


def _check_data(result: Result, files: RunFiles, problems: Problems) -> None:
    """Compare the fingerprint of a table's data with that of the corpus or knowledge base here."""
    base = result.data.get("kb")
    path = files.kb / "manifest.json" if base else files.counts
    what = "knowledge base" if base else "corpus"
    try:
        here = read_json(path).get("fingerprint")
    except (InputError, OSError, AttributeError):
        return  # a missing file is a problem only where it is needed
    theirs = (base or result.data).get("fingerprint")
    if here != theirs:
        problems.add(
            f"{result.name} is of a {what} with the fingerprint {str(theirs)[:16]}; the {what} "
            f"here has {str(here)[:16]}: two stores are mixed."
        )
