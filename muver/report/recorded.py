"""Which MLflow run is which row's, as ``muver record`` wrote it down."""

import csv
from collections.abc import Sequence

from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.results import Result

BASE = "http://127.0.0.1:5000"  # where `make audit` opens the user interface
Addresses = dict[tuple[str, str], str]


def read_recorded(results: Sequence[Result], places: Places, problems: Problems) -> Addresses:
    """Addresses in MLflow's user interface, after its base, by table and row key.

    A table without such a file was not recorded, or on another machine: no address then, and no
    problem. Keys that the table does not have are of another run and are told.
    """
    found: Addresses = {}
    for result in results:
        path = places.recorded(result.name)
        if not path.is_file():
            continue
        try:
            with open(path, encoding="utf-8", newline="") as file:
                lines = list(csv.DictReader(file))
            own = {line["row_key"]: line["address"] for line in lines}
        except (OSError, UnicodeDecodeError, csv.Error, KeyError):
            problems.tell(f"{result.name}: its list of recorded runs cannot be read.")
            continue
        keys = {row.get("row_key") for row in result.rows}
        if own and not keys & own.keys():
            problems.tell(
                f"{result.name}: the runs recorded in MLflow are of other rows (none of their keys "
                "is in the table). Record them again: snakemake --cores all record."
            )
        found |= {
            (result.name, key): address
            for key, address in own.items()
            if key in keys and str(address).startswith("/")
        }
    return found
