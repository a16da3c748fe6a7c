"""The systems behind Table 2's rows: an evaluation a set, checked against table and base."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.results import Result
from muver.report.systems import System, check_keys, read_evaluation, rows_of, tell_hits
from muver.tables.keys import row_key, sets_fingerprint


@dataclass
class LinkedSystem(System):
    """A row's system with an evaluation a set.

    Attributes
    ----------
    evaluation
        All sets together, each as a world.
    sets
        Evaluations by set; empty where one cannot be read.
    columns
        What the table calls the sets.
    """

    unit: ClassVar[str] = "set"
    sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, dict[str, Any]]:
        """Its evaluations by name of set."""
        return self.sets


def read_linked(
    results: Sequence[Result], places: Places, problems: Problems
) -> list[LinkedSystem]:
    """Every system of the tables over a knowledge base, in their order.

    Told as problems: evaluations that are missing, damaged, of other settings or data than the
    table (two stores mixed), or with other hits; tables of another base than the one here.
    """
    found: dict[str, LinkedSystem] = {}
    own = [result for result in results if result.linked]
    for result in own:
        _check_base(result, places, problems)
    for result, row, system in rows_of(own, found, LinkedSystem, problems):
        system.columns = {one["set"]: one["column"] for one in result.data["sets"]}
        sets = {name: read_evaluation(system, places, problems, name) for name in row["sets"]}
        if sets and None not in sets.values():
            system.sets = sets
            _check_row(result, row, system, problems)
    return list(found.values())


def _check_row(
    result: Result, row: dict[str, Any], system: LinkedSystem, problems: Problems
) -> None:
    """The key again from the settings and data of each set, and the hits."""
    fingerprint = sets_fingerprint({name: one["fingerprint"] for name, one in system.sets.items()})
    first = next(iter(system.sets.values()))
    system.evaluation = {
        "dataset": result.data["dataset"],
        "fingerprint": fingerprint,
        "settings": first["settings"],
        "cutoffs": first["cutoffs"],
        "worlds": {
            system.columns.get(name, name): {"mentions": one["mentions"], "recall": one["micro"]}
            for name, one in system.sets.items()
        },
    }
    keys = {row_key(one["settings"], fingerprint) for one in system.sets.values()}
    if not all([check_keys(result, row, key, problems) for key in sorted(keys)]):
        return
    if any(row["sets"][name]["hits"] != one["hits"] for name, one in system.sets.items()):
        tell_hits(result, row, problems)
    else:
        problems.held("rows of tables")


def _check_base(result: Result, places: Places, problems: Problems) -> None:
    path = places.kb / "manifest.json"
    try:
        own = read_json(path).get("fingerprint")
    except (InputError, OSError, AttributeError):
        return  # what is missing is told where it is needed
    told = result.data["kb"].get("fingerprint")
    if own != told:
        problems.tell(
            f"{result.name} is of a knowledge base with the fingerprint {str(told)[:16]}; the one "
            f"here has {str(own)[:16]}: two stores are mixed."
        )
